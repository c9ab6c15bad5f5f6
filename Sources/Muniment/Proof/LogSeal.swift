internal import EventLog
internal import Events
internal import Files
internal import Hashing
internal import LMDB

/// A checksum of every page of a log's file, written when the store is closed and taken away when it is written to again.
///
/// The hash chain vouches for every record; the seal also finds damage where there is no record: in free pages, in the slack of
/// others, in the older of the two head pages.
enum LogSeal {
    private static let magic = Array("MUNSEAL1".utf8)

    static func remove(in folder: StoreFolder) { try? removeFile(folder.seal) }

    /// Seals the file as it is, unless it is sealed already or larger than `limit` bytes.
    static func write(in folder: StoreFolder, head: LogHead, limit: Int) throws {
        guard !fileExists(folder.seal), let bytes = Environment.fileBytes(in: folder.log), bytes <= limit else { return }
        var writer = ByteWriter(capacity: bytes / 1024 + 64)
        writer.raw(magic)
        writer.fixed64(head.revision.rawValue)
        writer.raw(head.hash.bytes)
        for checksum in try pageChecksums(folder) { writer.fixed32(checksum) }
        writer.fixed32(checksum(of: writer.bytes.span))
        try replaceFile(folder.seal, with: writer.bytes)
    }

    /// What the seal finds wrong, a line for each damaged page; nil where there is no seal.
    static func problems(in folder: StoreFolder) throws -> [String]? {
        guard fileExists(folder.seal) else { return nil }
        let seal = try readFile(folder.seal)
        let headBytes = magic.count + 8 + Digest.byteCount
        guard seal.count >= headBytes + 4, seal.starts(with: magic) else { return ["the seal of the log is damaged"] }
        var reader = ByteReader(offset: seal.count - 4)
        guard try reader.fixed32(seal.span) == checksum(of: seal.span.extracting(0..<seal.count - 4)) else {
            return ["the seal of the log is damaged"]
        }
        let actual = try pageChecksums(folder)
        guard seal.count - headBytes - 4 == actual.count * 4 else {
            return ["the log's file has \(actual.count) pages, and was sealed with \((seal.count - headBytes - 4) / 4)"]
        }
        var problems: [String] = []
        reader = ByteReader(offset: headBytes)
        for (page, checksum) in actual.enumerated() where try reader.fixed32(seal.span) != checksum {
            problems.append("page \(page) of the log's file is not what it was when the store was closed")
        }
        return problems
    }

    private static func pageChecksums(_ folder: StoreFolder) throws -> [UInt32] {
        var checksums: [UInt32] = []
        try forEachChunk(of: folder.log + "/data.mdb", chunkBytes: Environment.pageBytes) { checksums.append(checksum(of: $0)) }
        return checksums
    }

    private static func checksum(of bytes: Span<UInt8>) -> UInt32 {
        var checksum = Checksum(tag: 0x5EA1)
        checksum.combine(bytes)
        return checksum.value
    }
}
