/// Writes JSON on one line: no blanks, slashes not escaped, the members of a plain value sorted by the UTF-8 bytes of their
/// names.
///
/// The output can be passed on in pieces, so that it is never in memory as a whole.
public struct JSONWriter {
    /// The output that was not passed on yet, in UTF-8.
    private var bytes: [UInt8] = []
    private let take: ((Span<UInt8>) -> Void)?

    /// The minimum size of a piece in bytes.
    private static let pieceBytes = 1 << 16

    /// Creates a writer that keeps all output for ``text``.
    public init() { take = nil }

    /// Creates a writer that keeps all output, with space for some bytes.
    package init(capacity: Int) {
        take = nil
        bytes.reserveCapacity(capacity)
    }

    /// Creates a writer that passes its output on in pieces, and the rest with ``finish()``.
    ///
    /// - Parameter take: receives each piece, of 64 KiB or slightly more, in order.
    public init(handingTo take: @escaping (Span<UInt8>) -> Void) { self.take = take }

    /// The output that was not passed on yet, as a text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The output that was not passed on yet, in UTF-8.
    public var written: [UInt8] { bytes }

    /// The first written number that JSON cannot represent.
    private(set) var unwritten: Double?

    /// Passes on the rest of the output.
    public mutating func finish() {
        take?(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes a value. Linear in its size. A number that JSON cannot represent is written as its name in quotes.
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

    /// Writes a number: a whole number that fits 64 bits as an integer, any other with the fewest digits that reproduce it.
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

    /// Writes the elements of a list, each with `write`.
    public mutating func writeList<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        raw("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { raw(",") }
            write(&self, element)
        }
        raw("]")
    }

    /// Writes the members of an object in the given order, each with `write`.
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

    /// Writes a text in quotes.
    public mutating func write(_ text: String) {
        raw("\"")
        defer { raw("\"") }
        guard text.utf8.count > Self.pieceBytes || text.utf8.contains(where: Self.isEscaped) else { return raw(text) }
        withBytes(text) { span in
            var plain = 0
            for offset in span.indices {
                let byte = span[offset]
                guard Self.isEscaped(byte) else { continue }
                run(of: text, plain..<offset)
                raw(Self.escape(byte))
                plain = offset + 1
            }
            run(of: text, plain..<span.count)
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes JSON text that is already on one line.
    public mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        handOn()
    }

    /// Writes JSON text in UTF-8 that is already on one line.
    package mutating func raw(_ text: [UInt8]) {
        bytes += text
        handOn()
    }

    /// Writes part of a text unchanged.
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
