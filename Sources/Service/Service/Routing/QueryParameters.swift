/// The parameters after the `?` of a request, in order.
struct QueryParameters: Sendable {
    let items: [(name: String, value: String)]

    /// - Throws: ``Problem`` for text that is not encoded according to RFC 3986, and for more than 64 parameters.
    init(_ text: String) throws(Problem) {
        var items: [(String, String)] = []
        for part in text.split(separator: "&", maxSplits: 64) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard items.count < 64 else { throw Problem(.malformed, "the address has more than 64 parameters: send fewer") }
            guard let name = PercentEncoding.decoded(pair[0], plusIsBlank: true),
                let value = PercentEncoding.decoded(pair.count > 1 ? pair[1] : "", plusIsBlank: true)
            else {
                throw Problem(.malformed, "the address has a parameter that is not percent-encoded UTF-8: encode it")
            }
            items.append((name, value))
        }
        self.items = items
    }

    /// The value of a parameter that may occur once.
    subscript(name: String) -> String? {
        get throws(Problem) {
            let values = items.filter { $0.name == name }
            guard values.count < 2 else { throw Problem(.malformed, "the parameter `\(name)` appears twice: give it once") }
            return values.first?.value
        }
    }

    /// The values of a parameter that may be repeated.
    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    func has(_ name: String) -> Bool { items.contains { $0.name == name } }

    /// - Throws: ``Problem`` for a parameter that is not among these.
    func checkNames(_ known: [String]) throws(Problem) {
        guard let item = items.first(where: { !known.contains($0.name) }) else { return }
        throw Problem(.malformed, "unknown parameter `\(item.name)`: use \(known.joined(separator: ", "))")
    }
}

/// Decodes percent-encoded text of addresses (RFC 3986).
enum PercentEncoding {
    /// Returns the decoded text; nil if the encoding is invalid or the result is not UTF-8.
    ///
    /// - Parameters:
    ///   - text: a segment of a path, or a name or a value of a query.
    ///   - plusIsBlank: whether `+` means a blank, as in queries.
    static func decoded(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
