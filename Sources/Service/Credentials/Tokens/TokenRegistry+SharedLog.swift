internal import EventLog
internal import Files
internal import Foundation
internal import Hashing
internal import Synchronization

/// The tokens of a node: a copy of a log that several nodes share.
extension TokenRegistry {
    /// Exists in a node's copy of a shared log of tokens.
    var sharedMark: String { folder + "/tokens.shared" }

    /// Whether the tokens are in a shared log.
    public var isShared: Bool { shared != nil }

    /// The path of the key of a shared log of tokens.
    public var keyPath: String { folder + "/tokens.key" }

    /// The number of lines in the shared log that no node made, and that were skipped; nil without a shared log.
    public var skippedSharedLines: Int? { shared == nil ? nil : skippedLines.load(ordering: .relaxed) }

    /// Brings the file to the end of the shared log. The first node brings its tokens to an empty log.
    ///
    /// - Returns: the whole log.
    /// - Throws: `SharedLogError`, ``TokenLogError``, ``TokenFileError``, or a file's error.
    @discardableResult
    func follow(_ shared: any SharedLog) throws -> TokenLogReader {
        try makePrivateFolder(folder)
        // Another thread may make it at the same time.
        _ = try createFile(sharedMark, with: [])
        return try following.withLock { following in
            while true {
                var reader = try following.reader ?? TokenLogReader(key: TokenLogKey.read(keyPath))
                let known = reader.count
                // The file is read first: the log has each of its lines already.
                let file = try localFile()
                let added = try read(shared, with: &reader)
                if reader.position == nil {
                    _ = try shared.append(LogGroup(commits: try firstRecords(file), refusals: []), after: nil)
                    following.reader = nil
                    continue
                }
                try reader.requireKey(path: keyPath)
                if file.changes < known {
                    // The file was replaced. Its lines come from the log again.
                    following.reader = nil
                    continue
                }
                try reader.requireLines(of: file)
                if file.changes < reader.count {
                    try append { bytes in
                        let present = try TokenFile(bytes, path: path, record: try TokenRecord(at: record))
                        // Another process of this machine may have been faster.
                        return try present.adding(added.filter { $0.number >= present.records.count })
                    }
                }
                following.reader = reader
                skippedLines.store(reader.skipped, ordering: .relaxed)
                reportSkipped(&following)
                return reader
            }
        }
    }

    private func localFile() throws -> TokenFile {
        try lines.read().map { try TokenFile($0.bytes, path: path, record: try TokenRecord(at: record)) }
            ?? TokenFile([], path: path, record: nil)
    }

    /// Reads the file, and then the whole shared log, which has each line of the file already.
    private func localFile(and shared: any SharedLog) throws -> (TokenFile, TokenLogReader) {
        let file = try localFile()
        var reader = TokenLogReader(key: try TokenLogKey.read(keyPath))
        _ = try read(shared, with: &reader)
        return (file, reader)
    }

    /// Reads the rest of the shared log. Returns the lines that count.
    private func read(_ shared: any SharedLog, with reader: inout TokenLogReader) throws -> [ChainedRecord] {
        var added: [ChainedRecord] = []
        while case let records = try shared.records(after: reader.position, limitBytes: 1 << 20).commits, !records.isEmpty {
            for record in records { added += try reader.read(record) }
        }
        return added
    }

    /// Returns the first records of an empty log: the lines of a node's file, and a line that adopts them if they have no codes. Makes
    /// the key of the log if the node has none.
    private func firstRecords(_ file: TokenFile) throws -> [ChainedRecord] {
        var key = try TokenLogKey.readOrMake(keyPath)
        var reader = TokenLogReader(key: key)
        do { for record in file.records { _ = try reader.read(record) } } catch is SharedLogError {}
        if reader.isComplete { return file.records }
        if reader.count > 0 {
            // Only some lines have codes: the file was on one machine meanwhile. With another key, all lines are without a known code.
            key = try TokenLogKey.replace(keyPath)
        }
        reader = TokenLogReader(key: nil)
        for record in file.records { _ = try reader.read(record) }
        return file.records + [reader.recordOfAdoption(key)]
    }

    private func reportSkipped(_ following: inout Following) {
        guard !following.hasReportedSkipped, let reader = following.reader, let first = reader.firstSkipped else { return }
        following.hasReportedSkipped = true
        report(
            "the shared log of tokens has \(reader.skipped) line\(reader.skipped == 1 ? "" : "s") that no node made, the first is line "
                + "\(first); they are skipped. If `\(keyPath)` differs from that of another node, this node has an earlier key, and does "
                + "not know later tokens and revocations: stop it, and copy the key. Otherwise, someone with the password of the database "
                + "may have added the lines: change this password")
    }

    /// Throws if a node could not follow the shared log. Changes nothing.
    ///
    /// - Throws: `SharedLogError`, ``TokenLogError``, ``TokenFileError``, or a file's error.
    public func checkSharedLog() throws {
        guard let shared else { return }
        let (file, reader) = try localFile(and: shared)
        guard reader.position != nil else { return }
        try reader.requireKey(path: keyPath)
        try reader.requireLines(of: file)
    }

    /// Accepts the changes in a shared log that has no codes, because an earlier release made them. Makes the key of the log if the node
    /// has none.
    ///
    /// Anyone with the password of the database could have made these changes. Revoke unknown tokens afterwards.
    ///
    /// - Returns: all tokens of the log.
    /// - Throws: ``TokenLogError/hasCodes`` if there is nothing to accept, `SharedLogError.diverged` if the node's copy differs from the
    ///   log, ``TokenLogError``, ``TokenFileError``, or a file's error. In each case nothing is accepted.
    public func adoptSharedLines() throws -> [Token] {
        guard let shared else { preconditionFailure("the tokens are not shared") }
        try makePrivateFolder(folder)
        while true {
            let (file, reader) = try localFile(and: shared)
            try reader.requireAdoptable()
            guard let position = reader.position else { break }
            try reader.requireLines(of: file)
            let record = reader.recordOfAdoption(try TokenLogKey.readOrMake(keyPath))
            if try shared.append(LogGroup(commits: [record], refusals: []), after: position) { break }
        }
        return try follow(shared).table.tokens
    }

    /// Follows the shared log until ``stop()``: a change at another node is known here within a second.
    public func followSharedLog() throws {
        guard let shared else { return }
        do { _ = try follow(shared) } catch SharedLogError.unreachable {
            // Without an answer, the node begins with the copy that it has, and tries again.
        }
        Thread.detachNewThread { [self] in
            var hasFailed = false
            while !isStopped.load(ordering: .acquiring) {
                do {
                    let position = try follow(shared).position
                    if hasFailed { note("the shared log of tokens can be read again") }
                    hasFailed = false
                    // After following, the log has a line.
                    while let position, try shared.wait(after: position, atMost: .milliseconds(900)) != nil,
                        !isStopped.load(ordering: .acquiring)
                    {}
                } catch {
                    if !hasFailed { report("changes of tokens at other nodes are not known here: \(error)") }
                    hasFailed = true
                    Thread.sleep(forTimeInterval: 0.2)
                }
            }
        }
    }
}
