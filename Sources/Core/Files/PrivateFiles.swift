internal import Glibc

/// The result of ``closeToOthers(_:isDeep:noting:)``.
public struct ModeChanges: Sendable {
    /// The files and folders that other users could open before, unsorted.
    public var closed: [String] = []
    /// The files and folders with a mode that could not be changed, and the reasons.
    public var failures: [FileError] = []

    public init() {}
}

/// Removes the access of other users to a file, or to a folder and its content: files get mode 0600, folders 0700.
///
/// Symbolic links are not followed. Linear in the number of files.
///
/// - Parameters:
///   - path: a file or a folder. Nothing happens if it does not exist.
///   - isDeep: whether the contents of a folder are closed too.
///   - changes: receives the changed files and the failures.
public func closeToOthers(_ path: String, isDeep: Bool = true, noting changes: inout ModeChanges) {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
        if errno != ENOENT, errno != ELOOP, errno != ENXIO { changes.failures.append(FileError(errno, "open", path: path)) }
        return
    }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
        return changes.failures.append(FileError(errno, "look at", path: path))
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else { return }
    if status.st_mode & 0o077 != 0 {
        if fchmod(descriptor, status.st_mode & 0o700) == 0 {
            changes.closed.append(path)
        } else {
            changes.failures.append(FileError(errno, "close to other users", path: path))
        }
    }
    guard isFolder, isDeep else { return }
    do throws(FileError) {
        for name in try fileNames(in: path) { closeToOthers(path + "/" + name, noting: &changes) }
    } catch { changes.failures.append(error) }
}

/// Returns the files and folders that ``closeToOthers(_:isDeep:noting:)`` would change, unsorted.
///
/// Opens no file: this process would lose its locks on a file when it closes the file (`fcntl(2)`).
public func openToOthers(_ path: String, isDeep: Bool = true) -> [String] {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return [] }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else { return [] }
    let names = isFolder && isDeep ? (try? fileNames(in: path)) ?? [] : []
    return (status.st_mode & 0o077 != 0 ? [path] : []) + names.flatMap { openToOthers(path + "/" + $0) }
}

/// Refuses a secret file that other users can open. A group may read a file that belongs to root: systems give one key to several
/// services in this way.
///
/// - Parameter path: the file. A symbolic link is followed.
/// - Throws: ``ExposedFileError``, or a `FileError` if the file cannot be accessed.
public func requirePrivateFile(_ path: String) throws {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw FileError(errno, "read", path: path) }
    guard status.st_mode & (status.st_uid == 0 ? 0o037 : 0o077) == 0 else {
        throw ExposedFileError(path: path, mode: UInt32(status.st_mode & 0o777))
    }
}

/// A secret file that other users can open.
public struct ExposedFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    /// The mode, as for `chmod`.
    public let mode: UInt32

    public var description: String {
        "`\(path)` is secret, but its mode 0\(String(mode, radix: 8)) allows other users to open it. Replace the secret if others may "
            + "have read it, then run `chmod 600 \(path)`"
    }
}

/// Refuses a file of settings that other users can change.
///
/// - Parameter path: the file. A symbolic link is followed.
/// - Throws: ``ChangeableFileError``, or a `FileError` if the file cannot be accessed.
public func requireUnchangeableFile(_ path: String) throws {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw FileError(errno, "read", path: path) }
    guard status.st_mode & 0o022 == 0 else { throw ChangeableFileError(path: path, mode: UInt32(status.st_mode & 0o777)) }
}

/// A file of settings that other users can change.
public struct ChangeableFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    /// The mode, as for `chmod`.
    public let mode: UInt32

    public var description: String {
        "`\(path)` decides who has access, but its mode 0\(String(mode, radix: 8)) allows other users to change it. Check its content, "
            + "then run `chmod go-w \(path)`"
    }
}
