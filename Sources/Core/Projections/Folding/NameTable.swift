internal import Events
internal import Hashing

/// The numbers of names in memory.
struct NameTable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var index = HashIndex()
    private let hash = KeyedHash()

    private struct Entry {
        let range: Range<Int>
        /// Nil after the name was removed.
        var number: UInt64?
    }

    var count: Int { entries.count }

    @inline(__always)
    func number(of name: Name) -> UInt64? {
        position(of: name).flatMap { entries[$0].number }
    }

    @inline(__always)
    private func position(of name: Name) -> Int? {
        let text = name.text.utf8Span.span
        return index.position(hash(text)) { position in
            let range = entries[position].range
            guard range.count == text.count else { return false }
            for offset in text.indices where bytes[range.lowerBound + offset] != text[offset] { return false }
            return true
        }
    }

    mutating func set(_ name: Name, to number: UInt64) {
        if let position = position(of: name) {
            entries[position].number = number
            return
        }
        let start = bytes.count
        bytes.append(contentsOf: name.text.utf8)
        index.insert(hash(name.text.utf8Span.span), entries.count)
        entries.append(Entry(range: start..<bytes.count, number: number))
    }

    /// Removes a name. Its entry stays, because it may get another number.
    mutating func remove(_ name: Name) {
        if let position = position(of: name) { entries[position].number = nil }
    }

    mutating func removeAll() {
        bytes.removeAll()
        entries.removeAll()
        index.removeAll()
    }
}
