internal import Glibc
internal import Synchronization

/// A lock on a file that one process at a time can hold. The file names the holder. The lock ends with the process of its holder.
///
/// The lock belongs to the open file and not to the process, so that a second holder in the same process is refused too. It can
/// be queried without taking it, so that queries never block a process that wants the lock.
public final class FileLock: @unchecked Sendable {
    /// Another holder has the lock.
    public struct HeldError: Error, Hashable, Sendable {
        /// The holder's description of itself, such as `process 4711 (muniment import …)`.
        public let holder: String
    }

    public let path: String
    private let descriptor: Int32
    private let isReleased = Atomic(false)
    /// The first line of the file. A second line means that the holder is not ready.
    private let firstLine: [UInt8]

    // Locks of open files, from <fcntl.h>; the overlay does not contain them.
    private static let getOpenFileLock: Int32 = 36
    private static let setOpenFileLock: Int32 = 37

    /// The number and the interval of attempts to read the holder: a holder writes its description right after taking the lock.
    private static let attempts = 20
    private static let attemptMicroseconds: UInt32 = 5_000

    /// Takes the lock at once, or throws ``HeldError``; throws ``FileError`` if the file cannot be created.
    ///
    /// - Parameters:
    ///   - path: the file, which is created if it does not exist.
    ///   - holder: the description of the holder for others, at most one line.
    public init(path: String, holder: String) throws {
        let descriptor = try openRegularFile(path, O_RDWR | O_CREAT, to: "open")
        do { try FileLock.take(descriptor, path) } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        firstLine = holder.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
        ftruncate(descriptor, 0)
        let text = firstLine + Array("\nnot ready".utf8)
        unsafe text.withUnsafeBytes { bytes in _ = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
    }

    /// Announces that the holder is ready: the guarded data is valid from now on.
    public func announceReady() { ftruncate(descriptor, off_t(firstLine.count)) }

    /// Whether a holder has the lock and has announced that it is ready.
    public static func isHeldReady(path: String) -> Bool {
        guard let text = try? readFile(path), !text.isEmpty, !text.contains(UInt8(ascii: "\n")) else { return false }
        // In this order: a new holder replaces the text of an exited holder immediately.
        return isHeld(path: path)
    }

    private static func take(_ descriptor: Int32, _ path: String) throws {
        for _ in 0..<attempts {
            var whole = wholeFile()
            if unsafe fcntl(descriptor, setOpenFileLock, &whole) == 0 { return }
            guard errno == EAGAIN || errno == EACCES else { throw FileError(errno, "lock", path: path) }
            if let holder = holder(of: path) { throw HeldError(holder: holder) }
            usleep(attemptMicroseconds)
        }
        throw HeldError(holder: "another process")
    }

    private static func wholeFile(_ type: Int32 = F_WRLCK) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        return range
    }

    /// Whether any process, this one included, holds the lock now. Does not take it.
    public static func isHeld(path: String) -> Bool {
        guard let descriptor = try? openRegularFile(path, O_RDONLY) else { return false }
        defer { _ = Glibc.close(descriptor) }
        var whole = wholeFile()
        guard unsafe fcntl(descriptor, getOpenFileLock, &whole) == 0 else { return false }
        return whole.l_type != Int16(F_UNLCK)
    }

    /// Returns the description of the holder. Without a holder, returns the last one if it exited without releasing the lock.
    public static func holder(of path: String) -> String? {
        guard let line = try? readFile(path).split(separator: UInt8(ascii: "\n")).first else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    /// Releases the lock; later calls do nothing.
    public func release() {
        // The system reuses the number of a closed file: closing it again would close another file.
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        ftruncate(descriptor, 0)
        // Closing alone is not enough: a child process that is starting at this time has the file open too until it runs its
        // program.
        var whole = FileLock.wholeFile(F_UNLCK)
        _ = unsafe fcntl(descriptor, FileLock.setOpenFileLock, &whole)
        _ = Glibc.close(descriptor)
    }
}
