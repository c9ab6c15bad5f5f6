internal import EventLog
internal import Files
internal import Hashing

/// A file with the last known head of the log. A log that ends before this head is damaged, or was replaced by an older one. An
/// older log would restore ended sessions.
struct KnownHead {
    let path: String

    /// Returns the noted head; nil if the file does not exist.
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
