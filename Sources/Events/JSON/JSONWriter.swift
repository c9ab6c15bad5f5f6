/// Writes JSON on one line: no blanks, slashes as they are, the members of a plain value by the UTF-8 bytes of their names.
///
/// What is written can be handed on in pieces, so that it is never held as a whole.
public struct JSONWriter {
    /// What was written and not handed on, in UTF-8.
    private var bytes: [UInt8] = []
    private let take: ((Span<UInt8>) -> Void)?

    /// Bytes of the pieces that are handed on.
    private static let pieceBytes = 1 << 16

    /// Keeps everything for ``text``.
    public init() { take = nil }

    /// Hands on what is written whenever enough has come together, and the rest with ``finish()``.
    ///
    /// - Parameter take: is given each piece, of 64 KiB or a little more, in order.
    public init(handingTo take: @escaping (Span<UInt8>) -> Void) { self.take = take }

    /// What was written and not handed on, as a text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What was written and not handed on, in UTF-8.
    public var written: [UInt8] { bytes }

    /// The first number that JSON does not have among those written.
    private(set) var unwritten: Double?

    /// Hands on what is left.
    public mutating func finish() {
        take?(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes a value. Linear in its size. A number that JSON does not have is written as its name, quoted.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .integer(let value): raw(String(value))
        case .number(let value): write(value)
        case .string(let value): write(value)
        case .array(let elements): writeList(elements) { $0.write($1) }
        case .object(let members): writeMembers(members.lazy.map { ($0.key, $0.value) }) { $0.write($1) }
        }
    }

    /// Writes a number: a whole one that fits 64 bits as such, any other with as few digits as bring it back.
    private mutating func write(_ number: Double) {
        if let whole = Int64(exactly: number) {
            raw(String(whole))
        } else if number.isFinite {
            raw("\(number)")
        } else {
            if unwritten == nil { unwritten = number }
            write("\(number)")
        }
    }

    /// Writes the elements of a list, each by `write`.
    public mutating func writeList<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        raw("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { raw(",") }
            write(&self, element)
        }
        raw("]")
    }

    /// Writes the members of an object in the order that they are given in, each by `write`.
    public mutating func writeMembers<Value>(
        _ members: some Sequence<(String, Value)>, _ write: (inout JSONWriter, Value) -> Void
    ) {
        raw("{")
        var isFirst = true
        for (name, value) in members {
            if !isFirst { raw(",") }
            isFirst = false
            self.write(name)
            raw(":")
            write(&self, value)
        }
        raw("}")
    }

    /// Writes a text in its quotes.
    public mutating func write(_ text: String) {
        raw("\"")
        let span = text.utf8Span.span
        var plain = 0
        for offset in span.indices {
            let byte = span[offset]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            run(of: text, plain..<offset)
            raw(Self.escape(byte))
            plain = offset + 1
        }
        run(of: text, plain..<span.count)
        raw("\"")
    }

    /// Writes JSON text that stands on one line already.
    public mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        handOn()
    }

    /// Writes part of a text as it is.
    private mutating func run(of text: String, _ offsets: Range<Int>) {
        for start in stride(from: offsets.lowerBound, to: offsets.upperBound, by: Self.pieceBytes) {
            let first = text.utf8.index(text.startIndex, offsetBy: start)
            let end = text.utf8.index(first, offsetBy: min(Self.pieceBytes, offsets.upperBound - start))
            bytes.append(contentsOf: text.utf8[first..<end])
            handOn()
        }
    }

    private mutating func handOn() {
        if let take, bytes.count >= Self.pieceBytes {
            take(bytes.span)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case ..<0x20: (byte < 0x10 ? "\\u000" : "\\u001") + String(byte & 0x0F, radix: 16)
        default: "\\" + String(UnicodeScalar(byte))
        }
    }
}
