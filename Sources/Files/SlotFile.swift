internal import Glibc

/// A file of slots of one size, which are written over in place: what was in one is on the disk no more, as far as the file system
/// writes where it is told to.
///
/// A slot whose size is a power of two up to 512 never lies in two blocks of a disk, so that it is written whole or not at all.
public final class SlotFile: Sendable {
    public let path: String
    public let slotBytes: Int
    private let descriptor: Int32

    /// Opens a file, which has to be there.
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

    /// The bytes of a slot; fewer than ``slotBytes`` where the file ends.
    public func read(_ slot: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: slotBytes)
        let count = unsafe pread(descriptor, &bytes, slotBytes, off_t(slot * slotBytes))
        guard count >= 0 else { throw FileError(errno, "read", path: path) }
        return Array(bytes[..<count])
    }

    /// Writes over a slot, or behind the end of the file. It is on the disk after ``sync()``.
    public func write(_ bytes: [UInt8], to slot: Int) throws(FileError) {
        precondition(bytes.count == slotBytes, "a slot has \(slotBytes) bytes")
        var written = 0
        while written < slotBytes {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), slotBytes - written,
                    off_t(slot * slotBytes + written))
            }
            guard count > 0 else { throw FileError(errno, "write", path: path) }
            written += count
        }
    }

    /// Brings what was written to the disk.
    public func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: path) }
    }
}
