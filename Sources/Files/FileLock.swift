internal import Glibc

/// A lock on a file that one process at a time can hold, and that says who does. It goes with the process that holds it.
public final class FileLock: @unchecked Sendable {
    /// Somebody else holds the lock.
    public struct Held: Error, Hashable, Sendable {
        /// What the holder wrote about itself, such as `process 4711 (muniment import …)`.
        public let holder: String
    }

    public let path: String
    private let descriptor: Int32

    /// Takes the lock at once, or throws ``Held``; throws ``FileError`` where the file cannot be made.
    ///
    /// - Parameter holder: who to name to others, at most a line.
    public init(path: String, holder: String) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(errno, "open", path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { _ = Glibc.close(descriptor) }
            if code == EWOULDBLOCK { throw Held(holder: FileLock.holder(of: path) ?? "another process") }
            throw FileError(code, "lock", path: path)
        }
        self.path = path
        self.descriptor = descriptor
        ftruncate(descriptor, 0)
        let text = Array(holder.utf8)
        unsafe text.withUnsafeBytes { bytes in _ = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
    }

    /// Whether anybody holds the lock at this moment, this process included.
    public static func isHeld(path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = Glibc.close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Who holds the lock, as far as they said.
    public static func holder(of path: String) -> String? {
        guard let bytes = try? readFile(path), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    public func release() {
        ftruncate(descriptor, 0)
        _ = Glibc.close(descriptor)
    }
}
