internal import Glibc
internal import Synchronization

/// A lock on a file that one process at a time can hold, and that says who does. It goes with the process that holds it.
///
/// It belongs to the open file and not to the process, so that a second holder in the same process is refused as well; and it
/// can be asked about without taking it, so that asking never gets in the way of somebody who wants it.
public final class FileLock: @unchecked Sendable {
    /// Somebody else holds the lock.
    public struct Held: Error, Hashable, Sendable {
        /// What the holder wrote about itself, such as `process 4711 (muniment import …)`.
        public let holder: String
    }

    public let path: String
    private let descriptor: Int32
    private let isReleased = Atomic(false)
    /// The first line of the file. A second one says that the holder is not ready.
    private let firstLine: [UInt8]

    // Of open files, from <fcntl.h>; the overlay leaves them out.
    private static let getOpenFileLock: Int32 = 36
    private static let setOpenFileLock: Int32 = 37

    /// How often, and how long, to look again for who holds the lock: a holder says so right behind taking it.
    private static let attempts = 20
    private static let attemptMicroseconds: UInt32 = 5_000

    /// Takes the lock at once, or throws ``Held``; throws ``FileError`` where the file cannot be made.
    ///
    /// - Parameters:
    ///   - path: the file, which is made where it is not there.
    ///   - holder: who to name to others, at most a line.
    public init(path: String, holder: String) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(errno, "open", path: path) }
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

    /// Tells others that what the lock guards is in order, and that the holder keeps it so from now on.
    public func announceReady() { ftruncate(descriptor, off_t(firstLine.count)) }

    /// Whether somebody holds the lock and has announced that they are ready.
    public static func isHeldReady(path: String) -> Bool {
        guard let text = try? readFile(path), !text.isEmpty, !text.contains(UInt8(ascii: "\n")) else { return false }
        // In this order: a text that was left behind by a holder that is gone is replaced by the next one at once.
        return isHeld(path: path)
    }

    private static func take(_ descriptor: Int32, _ path: String) throws {
        for _ in 0..<attempts {
            var whole = wholeFile()
            if unsafe fcntl(descriptor, setOpenFileLock, &whole) == 0 { return }
            guard errno == EAGAIN || errno == EACCES else { throw FileError(errno, "lock", path: path) }
            if let holder = holder(of: path) { throw Held(holder: holder) }
            usleep(attemptMicroseconds)
        }
        throw Held(holder: "another process")
    }

    private static func wholeFile(_ type: Int32 = F_WRLCK) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        return range
    }

    /// Whether anybody holds the lock at this moment, this process included. Takes nothing.
    public static func isHeld(path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = Glibc.close(descriptor) }
        var whole = wholeFile()
        guard unsafe fcntl(descriptor, getOpenFileLock, &whole) == 0 else { return false }
        return whole.l_type != Int16(F_UNLCK)
    }

    /// Who holds the lock, as far as they said. Where nobody holds it, who did last, if they ended without letting go.
    public static func holder(of path: String) -> String? {
        guard let line = try? readFile(path).split(separator: UInt8(ascii: "\n")).first else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    /// Lets go of the lock; later calls do nothing.
    public func release() {
        // The number of a closed file is given to the next one that is opened: closing it again would close somebody else's.
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        ftruncate(descriptor, 0)
        // Closing alone is not enough: a process that is being started at this moment has the file open as well, until it begins.
        var whole = FileLock.wholeFile(F_UNLCK)
        _ = unsafe fcntl(descriptor, FileLock.setOpenFileLock, &whole)
        _ = Glibc.close(descriptor)
    }
}
