internal import EventLog
internal import Events
internal import Files
internal import Hashing

/// A commit that a store contained earlier, by its revision and hash.
struct LastKnownCommit: Hashable {
    let revision: Revision
    let hash: Digest
}

/// The files that record the head of the log when the store was last opened or closed for writing: `head` in the folder of the
/// store and, for a store of a data directory, `.muniment/heads/NAME` in that directory.
///
/// The index contains a newer head, but a damaged index is deleted, and it can be rebuilt on request. If the log ends before the
/// recorded commit, or contains another commit at that revision, it was rolled back. The second file detects this if the whole
/// folder of the store was put back or is missing.
struct LastKnownHead {
    let folder: String

    private var own: String { folder + "/head" }

    /// The file outside the store's folder; nil for a store that is in no data directory.
    private var outer: String? {
        // Links are not followed: a link to another store replaces this one.
        let slash = folder.lastIndex(of: "/")
        let parent = slash.map { String(folder[..<$0]) } ?? "."
        let name = slash.map { folder[folder.index(after: $0)...] } ?? folder[...]
        // The name of a draft contains a dot.
        guard !name.isEmpty, !name.contains("."), isFolder(parent + "/.muniment") else { return nil }
        return "\(parent)/.muniment/heads/\(name)"
    }

    /// Whether the data directory has a record of the store. If the store does not exist, it is missing.
    func isKnownOutside() throws -> Bool { try outer.map { try exists($0) } ?? false }

    /// Removes the record in the data directory.
    func removeOutside() throws { if let outer { try removeFile(outer) } }

    /// Returns the commit that a file records; nil without a file.
    ///
    /// - Throws: ``StoreError/headIsDamaged(path:)``, or the error of reading the file.
    private func read(_ path: String) throws -> LastKnownCommit? {
        guard try exists(path) else { return nil }
        let bytes = try readFile(path)
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let revision = UInt64(words[0]), let hash = Digest(hexadecimal: words[1]) else {
            throw StoreError.headIsDamaged(path: folder)
        }
        let seen = LastKnownCommit(revision: Revision(revision), hash: hash)
        guard bytes == LastKnownHead.text(of: seen) else { throw StoreError.headIsDamaged(path: folder) }
        return seen
    }

    /// Records a commit durably. Does nothing if it is already recorded.
    func write(_ seen: LastKnownCommit) throws {
        let text = LastKnownHead.text(of: seen)
        for path in [own, outer].compactMap({ $0 }) {
            guard try !exists(path) || readFile(path) != text else { continue }
            if path == outer { try makePrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])) }
            try replaceFile(path, with: text)
        }
    }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` if a log does not contain a recorded commit.
    func check(_ log: EventLog) throws {
        for path in [own, outer].compactMap({ $0 }) { try LastKnownHead.check(log, has: read(path), in: folder) }
    }

    /// Throws ``StoreError/rolledBack(path:seen:seenHash:head:headHash:)`` if a log does not contain a commit that it contained
    /// earlier.
    static func check(_ log: EventLog, has seen: LastKnownCommit?, in folder: String) throws {
        // The log is read after the recorded commit, so that concurrent commits do not look like a rollback.
        guard let seen, let head = try log.refreshHead() else { return }
        if seen.revision <= head.revision, try log.read({ try $0.hash(of: seen.revision) }) == seen.hash { return }
        throw StoreError.rolledBack(
            path: folder, seen: seen.revision, seenHash: "\(seen.hash)", head: head.revision, headHash: "\(head.hash)")
    }

    func remove() throws {
        for path in [own, outer].compactMap({ $0 }) where try exists(path) { try removeFile(path) }
    }

    /// Returns the text of the file: revision, hash, and SHA-256 of both texts.
    private static func text(of seen: LastKnownCommit) -> [UInt8] {
        let text = "\(seen.revision.rawValue) \(seen.hash)"
        return Array("\(text) \(Digest(of: Array(text.utf8).span))\n".utf8)
    }
}
