internal import EventLog
internal import Events
internal import Files
internal import Hashing

/// A commit that a store had at some time, by its revision and hash.
struct SeenCommit: Hashable {
    let revision: Revision
    let hash: Digest
}

/// The file that says how far the log went when the store was last opened or closed for writing.
///
/// The index says the same and more often, but it is dropped when it is damaged, and rebuilt when asked. A log that ends before, or
/// has another commit there, was rolled back.
struct SeenHead {
    /// The folder of the store.
    let folder: String

    private var path: String { folder + "/head" }

    /// The commit that was noted; nil where none was.
    ///
    /// - Throws: ``StoreError/headIsDamaged(path:)``, or what keeps this process from reading the file.
    func read() throws -> SeenCommit? {
        guard try exists(path) else { return nil }
        let bytes = try readFile(path)
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let revision = UInt64(words[0]), let hash = Digest(hexadecimal: words[1]) else {
            throw StoreError.headIsDamaged(path: folder)
        }
        let seen = SeenCommit(revision: Revision(revision), hash: hash)
        guard bytes == SeenHead.text(of: seen) else { throw StoreError.headIsDamaged(path: folder) }
        return seen
    }

    /// Notes a commit, durably. Does nothing where it is noted already.
    func write(_ seen: SeenCommit) throws {
        let text = SeenHead.text(of: seen)
        guard try !exists(path) || readFile(path) != text else { return }
        try replaceFile(path, with: text)
    }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` where a log does not have the commit that was noted.
    func check(_ log: EventLog) throws { try SeenHead.check(log, has: read(), in: folder) }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` where a log does not have a commit that was seen in it.
    static func check(_ log: EventLog, has seen: SeenCommit?, in folder: String) throws {
        // The log is looked at after what was seen, so that a writer that goes on at this moment is not taken for a rollback.
        guard let seen, let head = try log.refreshHead() else { return }
        if seen.revision <= head.revision, try log.read({ try $0.hash(of: seen.revision) }) == seen.hash { return }
        throw StoreError.rolledBack(
            path: folder, seen: seen.revision, seenHash: "\(seen.hash)", head: head.revision, headHash: "\(head.hash)")
    }

    /// Revision, hash, and SHA-256 of both as they stand there.
    private static func text(of seen: SeenCommit) -> [UInt8] {
        let text = "\(seen.revision.rawValue) \(seen.hash)"
        return Array("\(text) \(Digest(of: Array(text.utf8).span))\n".utf8)
    }
}
