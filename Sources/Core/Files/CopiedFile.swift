internal import Glibc

/// Copies a file to a path that does not exist, and syncs the copy.
///
/// - Parameters:
///   - path: the file to copy.
///   - copy: the path of the copy.
///   - mode: the mode of the copy, as for `chmod`.
public func copyFile(_ path: String, to copy: String, mode: UInt32 = 0o600) throws {
    let descriptor = unsafe open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { throw FileError(errno, "make", path: copy) }
    defer { _ = close(descriptor) }
    try forEachChunk(of: path, chunkBytes: 1 << 20) { chunk in try writeAll(chunk, to: descriptor, copy) }
    guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: copy) }
}
