internal import Glibc

/// A file of slots of one size, which are overwritten in place: the old content of a slot does not stay on the disk, provided
/// that the file system writes in place.
///
/// A slot with a size that is a power of two up to 512 is never in two blocks of a disk, so that it is written as a whole or not
/// at all.
public final class SlotFile: Sendable {
    public let path: String
    public let slotBytes: Int
    private let descriptor: Int32

    /// Opens an existing file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - slotBytes: the size of a slot.
    public init(path: String, slotBytes: Int) throws(FileError) {
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(errno, "open", path: path) }
        self.path = path
        self.slotBytes = slotBytes
    }

    public func close() { _ = Glibc.close(descriptor) }

    /// Returns the bytes of a slot; fewer than ``slotBytes`` at the end of the file.
    public func read(_ slot: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: slotBytes)
        let count = unsafe pread(descriptor, &bytes, slotBytes, off_t(slot * slotBytes))
        guard count >= 0 else { throw FileError(errno, "read", path: path) }
        return Array(bytes[..<count])
    }

    /// Overwrites a slot, or appends one after the end of the file. It is durable after ``sync()``.
    public func write(_ bytes: [UInt8], to slot: Int) throws(FileError) {
        precondition(bytes.count == slotBytes, "a slot has \(slotBytes) bytes")
        try writeAll(bytes.span, to: descriptor, at: slot * slotBytes, path)
    }

    /// Syncs all writes to the disk.
    public func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: path) }
    }
}
