internal import EventLog
internal import Events
internal import Files
internal import Hashing

/// A commit that a store contained earlier, by its revision and hash.
struct SeenCommit: Hashable {
    let revision: Revision
    let hash: Digest
}

/// The file that records the head of the log when the store was last opened or closed for writing.
///
/// The index contains a newer head, but a damaged index is deleted, and it can be rebuilt on request. If the log ends before the
/// recorded commit, or contains another commit at that revision, it was rolled back.
struct SeenHead {
    /// The folder of the store.
    let folder: String

    private var path: String { folder + "/head" }

    /// Returns the recorded commit; nil without one.
    ///
    /// - Throws: ``StoreError/headIsDamaged(path:)``, or the error of reading the file.
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

    /// Records a commit durably. Does nothing if it is already recorded.
    func write(_ seen: SeenCommit) throws {
        let text = SeenHead.text(of: seen)
        guard try !exists(path) || readFile(path) != text else { return }
        try replaceFile(path, with: text)
    }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` if a log does not contain the recorded commit.
    func check(_ log: EventLog) throws { try SeenHead.check(log, has: read(), in: folder) }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` if a log does not contain a commit that it contained
    /// earlier.
    static func check(_ log: EventLog, has seen: SeenCommit?, in folder: String) throws {
        // The log is read after the recorded commit, so that concurrent commits do not look like a rollback.
        guard let seen, let head = try log.refreshHead() else { return }
        if seen.revision <= head.revision, try log.read({ try $0.hash(of: seen.revision) }) == seen.hash { return }
        throw StoreError.rolledBack(
            path: folder, seen: seen.revision, seenHash: "\(seen.hash)", head: head.revision, headHash: "\(head.hash)")
    }

    /// Returns the text of the file: revision, hash, and SHA-256 of both texts.
    private static func text(of seen: SeenCommit) -> [UInt8] {
        let text = "\(seen.revision.rawValue) \(seen.hash)"
        return Array("\(text) \(Digest(of: Array(text.utf8).span))\n".utf8)
    }
}
