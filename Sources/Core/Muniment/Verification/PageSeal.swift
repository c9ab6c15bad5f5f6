internal import EventLog
internal import Events
internal import Files
internal import Hashing
internal import LMDB

/// A checksum of every page of an environment's file. It is written when the store is closed, and removed before the file is written
/// to again.
///
/// The hash chain covers every record of the log, and checksums cover every row of the index. The seal also finds damage in bytes that
/// neither of them covers: inner pages of the trees, free pages, unused bytes of pages, and the older of the two head pages.
struct PageSeal {
    /// The folder of the environment. The seal is stored next to the data.
    let folder: String

    private static let magic = Array("MUNSEAL1".utf8)
    private var path: String { folder + "/seal" }

    var isThere: Bool { fileExists(path) }

    /// Removes the seal durably. A seal that reappears after a crash would describe an earlier state of the file.
    func remove() throws(FileError) {
        guard isThere else { return }
        try removeFile(path)
        try syncFolder(of: path)
    }

    /// Returns the last commit of the file when it was sealed; nil if no seal can be read.
    ///
    /// - Throws: `FileError` if the process has no free file descriptor to read it.
    private func head() throws -> (revision: Revision, hash: Digest)? {
        guard let seal = try readFileIfThere(path), isWhole(seal) else { return nil }
        var reader = ByteReader(offset: Self.magic.count)
        guard let revision = try? reader.fixed64(seal.span),
            let hash = Digest(bytes: Array(seal[reader.offset..<reader.offset + Digest.byteCount]))
        else { return nil }
        return (Revision(revision), hash)
    }

    /// Compares a log with its seal. A log that ends before the commit in the seal has lost acknowledged commits.
    func check(_ log: EventLog) throws {
        // The seal is read before the log, so that a writer that closes at this moment is not reported as damage.
        guard let sealed = try head(), isThere, let found = try log.refreshHead() else { return }
        guard found.revision >= sealed.revision else {
            throw LogError.endsEarly(found.revision, sealed: sealed.revision)
        }
        guard try log.read({ try $0.hash(of: sealed.revision) }) == sealed.hash else { throw LogError.brokenChain(sealed.revision) }
    }

    private static let headBytes = magic.count + 8 + Digest.byteCount

    private func isWhole(_ seal: [UInt8]) -> Bool {
        guard seal.count >= Self.headBytes + 4, seal.starts(with: Self.magic) else { return false }
        var reader = ByteReader(offset: seal.count - 4)
        return (try? reader.fixed32(seal.span)) == Self.checksum(of: seal.span.extracting(0..<seal.count - 4))
    }

    /// Seals the file as it is, unless it is already sealed or larger than `limit` bytes.
    ///
    /// - Parameters:
    ///   - revision: the last revision in the file.
    ///   - hash: the hash of its commit.
    func write(revision: Revision, hash: Digest, limit: Int) throws {
        guard !isThere, let bytes = Environment.fileBytes(in: folder), bytes <= limit else { return }
        var writer = ByteWriter(capacity: bytes / 1024 + 64)
        writer.raw(Self.magic)
        writer.fixed64(revision.rawValue)
        writer.raw(hash.bytes)
        for checksum in try pageChecksums() { writer.fixed32(checksum) }
        writer.fixed32(Self.checksum(of: writer.bytes.span))
        try replaceFile(path, with: writer.bytes)
    }

    /// Returns a sentence for each run of damaged pages that the seal shows. Returns nil if there is no seal, including a seal that a
    /// writer has removed or replaced meanwhile.
    func problems() throws -> [String]? {
        do {
            let seal = try readFile(path)
            let found = try compare(with: seal)
            return try found.isEmpty || readFile(path) == seal ? found : nil
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    private func compare(with seal: [UInt8]) throws -> [String] {
        guard isWhole(seal) else { return ["the seal `\(path)` is damaged"] }
        let actual = try pageChecksums()
        let sealed = (seal.count - Self.headBytes - 4) / 4
        guard sealed == actual.count else {
            return ["the file `\(folder)/data.mdb` has \(actual.count) pages, but was sealed with \(sealed)"]
        }
        var changed: [ClosedRange<Int>] = []
        var reader = ByteReader(offset: Self.headBytes)
        for (page, checksum) in actual.enumerated() where try reader.fixed32(seal.span) != checksum {
            if let last = changed.last, last.upperBound + 1 == page {
                changed[changed.count - 1] = last.lowerBound...page
            } else {
                changed.append(page...page)
            }
        }
        return changed.map { pages in
            (pages.count == 1 ? "page \(pages.lowerBound) of `" : "pages \(pages.lowerBound) to \(pages.upperBound) of `")
                + "\(folder)/data.mdb` " + (pages.count == 1 ? "was" : "were") + " changed after the store was closed"
        }
    }

    private func pageChecksums() throws -> [UInt32] {
        var checksums: [UInt32] = []
        let pageBytes = Environment.pageBytes
        try forEachChunk(of: folder + "/data.mdb", chunkBytes: 256 * pageBytes) { chunk in
            for start in stride(from: 0, to: chunk.count, by: pageBytes) {
                checksums.append(Self.checksum(of: chunk.extracting(start..<min(start + pageBytes, chunk.count))))
            }
        }
        return checksums
    }

    private static func checksum(of bytes: Span<UInt8>) -> UInt32 {
        var checksum = Checksum(tag: 0x5EA1)
        checksum.combine(bytes)
        return checksum.value
    }
}
