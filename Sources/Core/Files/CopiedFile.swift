internal import Glibc

/// Copies a file to a path that does not exist, and syncs the copy. Its mode is 0600; see ``giveToOwnerOfFolder(_:)`` for its owner.
///
/// - Parameters:
///   - path: the file to copy.
///   - copy: the path of the copy.
public func copyFile(_ path: String, to copy: String) throws {
    let descriptor = try openRegularFile(copy, O_WRONLY | O_CREAT | O_EXCL, to: "make")
    defer { _ = close(descriptor) }
    try forEachChunk(of: path, chunkBytes: 1 << 20) { chunk in try writeAll(chunk, to: descriptor, copy) }
    guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: copy) }
}
