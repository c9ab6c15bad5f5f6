internal import EventLog
internal import Files
internal import Hashing

/// A file that says how far the log went at some time: one that ends before is damaged, or an older one put in its place. It would
/// bring back sessions that were ended.
struct KnownHead {
    let path: String

    /// The last record that was noted; nil where none was.
    func read() throws -> RecordHead? {
        guard try exists(path) else { return nil }
        let words = String(decoding: try readFile(path), as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let number = UInt64(words[0]), words[1].last == "\n",
            let hash = Digest(hexadecimal: words[1].dropLast())
        else { throw AccountBookError.headMalformed(path: path) }
        return RecordHead(number: RecordNumber(number), hash: hash)
    }

    func write(_ head: RecordHead) throws(FileError) {
        try replaceFile(path, with: Array("\(head.number) \(head.hash)\n".utf8))
    }
}
