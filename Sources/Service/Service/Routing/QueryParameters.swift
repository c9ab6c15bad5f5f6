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
