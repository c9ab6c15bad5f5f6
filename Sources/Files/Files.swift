internal import Glibc

/// A file operation that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let operation: String
    public let path: String
    public let detail: String
    /// Whether the file or folder is not there.
    public let isMissing: Bool
    public let isNotPermitted: Bool
    /// Whether the disk, or the quota on it, has no room.
    public let isDiskFull: Bool
    /// Whether the system lacks descriptors, memory or room on the disk, so that the operation can succeed later.
    public let isLackOfResources: Bool

    init(_ code: Int32, _ operation: String, path: String) {
        self.operation = operation
        self.path = path
        detail = unsafe String(cString: strerror(code))
        isMissing = code == ENOENT || code == ENOTDIR
        isNotPermitted = code == EACCES || code == EPERM || code == EROFS
        isDiskFull = code == ENOSPC || code == EDQUOT
        isLackOfResources = isDiskFull || [EMFILE, ENFILE, ENOMEM].contains(code)
    }

    public var description: String { "cannot \(operation) `\(path)`: \(detail)" }
}

/// The whole of a small file.
public func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "read", path: path) }
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw FileError(errno, "read", path: path) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
    }
}

/// Calls `body` with one run of bytes of a file after another, each `chunkBytes` long but for the last.
public func forEachChunk(of path: String, chunkBytes: Int, _ body: (Span<UInt8>) throws -> Void) throws {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "read", path: path) }
    defer { _ = close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: chunkBytes)
    var filled = 0
    while true {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe read(descriptor, bytes.baseAddress?.advanced(by: filled), chunkBytes - filled)
        }
        guard count >= 0 else { throw FileError(errno, "read", path: path) }
        filled += count
        if filled == chunkBytes || (count == 0 && filled > 0) {
            try body(buffer.span.extracting(0..<filled))
            filled = 0
        }
        if count == 0 { return }
    }
}

/// Puts a file in place whole, and durably: written beside it, synced, renamed.
///
/// - Parameters:
///   - path: the file, whether it is there or not.
///   - bytes: what is to be in it.
///   - mode: who may do what to it, as `chmod` has it.
public func replaceFile(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
    let draft = path + ".new"
    try writeDraft(draft, bytes, mode: mode)
    guard unsafe rename(draft, path) == 0 else { throw FileError(errno, "rename", path: draft) }
    try syncFolder(of: path)
}

/// Writes a file and brings its contents to the disk, not yet its name.
func writeDraft(_ draft: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { throw FileError(errno, "write", path: draft) }
    // A draft that an earlier process left behind keeps the mode that it was made with.
    guard fchmod(descriptor, mode_t(mode)) == 0 else {
        let code = errno
        _ = close(descriptor)
        throw FileError(code, "set the mode of", path: draft)
    }
    var offset = 0
    while offset < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
        }
        guard count > 0 else {
            let code = errno
            _ = close(descriptor)
            throw FileError(code, "write", path: draft)
        }
        offset += count
    }
    let synced = fsync(descriptor)
    let code = errno
    _ = close(descriptor)
    guard synced == 0 else { throw FileError(code, "sync", path: draft) }
}

/// Brings the names in the folder that a file is in to the disk: which files are there survives a crash of the machine only
/// from then on.
public func syncFolder(of path: String) throws(FileError) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "open", path: folder) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError(errno, "sync", path: folder) }
}

/// The one spelling of a path to something that is there; the path itself where it leads nowhere.
public func canonicalPath(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

/// Makes a folder and those above it, each for its owner alone (mode 0700). A folder that exists stays as it is.
public func makeFolder(_ path: String) throws(FileError) {
    if isFolder(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(errno, "make the folder", path: path) }
}

public func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

public func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Whether there is a file or folder at a path.
///
/// - Throws: where this process may not look.
public func exists(_ path: String) throws(FileError) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return true }
    let error = FileError(errno, "look for", path: path)
    guard error.isMissing else { throw error }
    return false
}

/// The first argument of this process whose bytes are no UTF-8, as it would be shown; nil where there is none. The list of
/// arguments that Swift hands out has such bytes replaced, so that two different names could become one.
public func firstArgumentThatIsNoText() -> String? {
    for index in 0..<Int(CommandLine.argc) {
        guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
        if unsafe String(validatingCString: argument) == nil { return unsafe String(cString: argument) }
    }
    return nil
}

public func mayWrite(to path: String) -> Bool { unsafe access(path, W_OK) == 0 }

/// Who may do what to a file, as `chmod` has it; nil where there is no file.
public func fileMode(_ path: String) -> UInt32? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? UInt32(status.st_mode & 0o7777) : nil
}

public func renameFile(_ path: String, to other: String) throws(FileError) {
    guard unsafe rename(path, other) == 0 else { throw FileError(errno, "rename", path: path) }
}

public func removeFile(_ path: String) throws(FileError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileError(errno, "remove", path: path) }
}

/// The names of what is in a folder, in no order.
public func fileNames(in folder: String) throws(FileError) -> [String] {
    guard let stream = unsafe opendir(folder) else { throw FileError(errno, "read the folder", path: folder) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        // The entry ends with its name: a copy of the whole field would read beyond the system's buffer.
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
            unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// Removes a folder and the files in it; nothing where it is not there.
public func removeFlatFolder(_ path: String) throws(FileError) {
    guard try exists(path) else { return }
    for name in try fileNames(in: path) { try removeFile(path + "/" + name) }
    guard unsafe rmdir(path) == 0 else { throw FileError(errno, "remove", path: path) }
}

/// Lets other threads run.
public func yieldThread() { _ = sched_yield() }

/// Changes with every start of the machine; empty where the system does not say.
public func bootIdentity() -> [UInt8] { (try? readFile("/proc/sys/kernel/random/boot_id")) ?? [] }

/// Who this process is, for people.
public func processDescription() -> String {
    "process \(getpid()) (\(CommandLine.arguments.prefix(4).joined(separator: " ")))"
}
