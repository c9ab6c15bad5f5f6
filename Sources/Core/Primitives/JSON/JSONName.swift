/// The name of a member. A comparison with a constant, as in `case .subject`, creates no text.
package struct JSONName: Equatable, Sendable {
    /// The name in UTF-8, without escapes.
    private let bytes: ArraySlice<UInt8>
    /// The first eight bytes.
    private let start: UInt64

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        var start: UInt64 = 0
        let span = bytes.span
        for index in 0..<min(span.count, 8) { start = start << 8 | UInt64(span[index]) }
        self.start = start
    }

    package init(_ text: String) { self.init(Array(text.utf8)[...]) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Compares byte for byte.
    package static func == (left: JSONName, right: JSONName) -> Bool {
        guard left.start == right.start, left.bytes.count == right.bytes.count else { return false }
        return left.bytes.count <= 8 || left.bytes.dropFirst(8).elementsEqual(right.bytes.dropFirst(8))
    }
}
