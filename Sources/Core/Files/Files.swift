internal import Glibc

/// A file operation that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let operation: String
    public let path: String
    public let detail: String
    /// Whether the file or folder does not exist.
    public let isMissing: Bool
    /// Whether the disk, or its quota, is full.
    public let isDiskFull: Bool
    /// Whether this process may not access the file or folder.
    public let isNotPermitted: Bool
    /// Whether the system lacks descriptors, memory or disk space, so that the operation can succeed later.
    public let isLackOfResources: Bool

    /// Whether the system lacks descriptors or memory.
    public var isLackOfDescriptors: Bool { isLackOfResources && !isDiskFull }

    init(_ code: Int32, _ operation: String, path: String) {
        self.operation = operation
        self.path = path
        detail = unsafe String(cString: strerror(code))
        isMissing = code == ENOENT || code == ENOTDIR
        isNotPermitted = code == EACCES || code == EPERM
        isDiskFull = code == ENOSPC || code == EDQUOT
        isLackOfResources = isDiskFull || [EMFILE, ENFILE, ENOMEM].contains(code)
    }

    /// The error for a pipe, a folder, a socket or a device in the place of a file.
    init(notRegular path: String, _ operation: String) {
        self.operation = operation
        self.path = path
        detail = "it is not a regular file. Replace it with one."
        (isMissing, isNotPermitted, isDiskFull, isLackOfResources) = (false, false, false, false)
    }

    public var description: String { "cannot \(operation) `\(path)`: \(detail)" }
}

/// Opens a regular file. Never waits, as an ordinary opening of a pipe does until another process opens the pipe.
///
/// - Parameters:
///   - path: the file. A symbolic link is followed unless the flags forbid that.
///   - flags: as for `open`.
///   - operation: a verb for the error.
/// - Returns: the descriptor, which the caller closes.
/// - Throws: ``FileError``, also for anything that is not a regular file.
func openRegularFile(_ path: String, _ flags: Int32, to operation: String = "read") throws(FileError) -> Int32 {
    let descriptor = unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    // A socket cannot be opened at all.
    guard descriptor >= 0 else { throw FileError(errno, operation, path: path) }
    if flags & O_CREAT != 0 { giveToOwnerOfFolder(path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        _ = close(descriptor)
        throw FileError(notRegular: path, operation)
    }
    return descriptor
}

/// Returns the content of a small regular file.
public func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = try openRegularFile(path, O_RDONLY)
    defer { _ = close(descriptor) }
    return try readAll(descriptor, path)
}

/// Reads an open file from its position to its end.
func readAll(_ descriptor: Int32, _ path: String) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw FileError(errno, "read", path: path) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
    }
}

/// Writes all bytes to an open file.
///
/// - Parameter start: the offset in the file; nil for its position.
func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32, at start: Int? = nil, _ path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.extracting(written..<bytes.count).withUnsafeBytes { rest in
            guard let start else { return unsafe write(descriptor, rest.baseAddress, rest.count) }
            return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(start + written))
        }
        guard count > 0 else { throw FileError(errno, "write", path: path) }
        written += count
    }
}

/// Reads a small file whole; nil if it cannot be read.
///
/// - Throws: ``FileError`` if only a descriptor or memory is missing, so that the file may exist.
public func readFileIfThere(_ path: String) throws(FileError) -> [UInt8]? {
    do throws(FileError) { return try readFile(path) } catch {
        if error.isLackOfDescriptors { throw error }
        return nil
    }
}

/// Calls `body` with each chunk of a file in order. Each has `chunkBytes` bytes, except for the last.
public func forEachChunk(of path: String, chunkBytes: Int, _ body: (Span<UInt8>) throws -> Void) throws {
    let descriptor = try openRegularFile(path, O_RDONLY)
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

/// Replaces a file atomically and durably: writes a temporary file next to it, syncs and renames it.
///
/// - Parameters:
///   - path: the file, existing or not.
///   - bytes: the new content.
///   - mode: its mode, as for `chmod`.
///   - isShared: whether several threads or processes may replace the file at once.
public func replaceFile(
    _ path: String, with bytes: [UInt8], mode: UInt32 = 0o600, isShared: Bool = false
) throws(FileError) {
    let draft = isShared ? uniqueDraft(of: path) : path + ".new"
    try writeDraft(draft, bytes, mode: mode)
    guard unsafe rename(draft, path) == 0 else { throw FileError(errno, "rename", path: draft) }
    try syncFolder(of: path)
}

/// Returns a temporary name that no other call returns.
func uniqueDraft(of path: String) -> String { "\(path).\(getpid())-\(UInt64.random(in: 0 ... .max)).new" }

/// Writes a file and syncs its content, but not its name. Replaces a file that an earlier process left.
func writeDraft(_ draft: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
    // A link in its place could lead to a file of another user: neither is ever written through.
    _ = unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { throw FileError(errno, "write", path: draft) }
    defer { _ = close(descriptor) }
    // The mask of the process does not apply to the mode.
    guard fchmod(descriptor, mode_t(mode)) == 0 else { throw FileError(errno, "set the mode of", path: draft) }
    try writeAll(bytes.span, to: descriptor, draft)
    guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: draft) }
    giveToOwnerOfFolder(draft)
}

/// Syncs the names in the folder of a file. Only then do created and removed files survive a crash of the machine.
public func syncFolder(of path: String) throws(FileError) {
    let folder = parentFolder(of: path)
    let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "open", path: folder) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError(errno, "sync", path: folder) }
}

/// Returns the folder that contains a file: `.` for a name without a folder.
public func parentFolder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Returns the canonical path of an existing file; the path itself if it does not exist.
public func canonicalPath(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

/// Creates a folder and its parents, each only for its owner (mode 0700). An existing folder is not changed.
public func makeFolder(_ path: String) throws(FileError) {
    if isFolder(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(errno, "make the folder", path: path) }
    giveToOwnerOfFolder(path)
}

public func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

public func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Returns whether a file or folder exists.
///
/// - Throws: if this process may not access the path.
public func exists(_ path: String) throws(FileError) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return true }
    let error = FileError(errno, "look for", path: path)
    guard error.isMissing else { throw error }
    return false
}

/// Returns the first argument of this process that is not valid UTF-8, in printable form; nil if all are valid. Swift replaces
/// such bytes in its list of arguments, so that two different names could become equal.
public func firstArgumentThatIsNoText() -> String? {
    for index in 0..<Int(CommandLine.argc) {
        guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
        if unsafe String(validatingCString: argument) == nil { return unsafe String(cString: argument) }
    }
    return nil
}

public func mayWrite(to path: String) -> Bool { unsafe access(path, W_OK) == 0 }

/// Returns whether this process may read and write a file, or list and change a folder. Returns true for a path that does not exist.
public func mayUse(_ path: String) -> Bool {
    unsafe access(path, R_OK | W_OK | (isFolder(path) ? X_OK : 0)) == 0 || errno == ENOENT
}

/// Returns the mode of a file, as for `chmod`; nil if the file does not exist.
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

/// Returns the names in a folder, unsorted.
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

/// Removes a folder and the files in it. Does nothing if it does not exist.
public func removeFlatFolder(_ path: String) throws(FileError) {
    guard try exists(path) else { return }
    for name in try fileNames(in: path) { try removeFile(path + "/" + name) }
    guard unsafe rmdir(path) == 0 else { throw FileError(errno, "remove", path: path) }
}

/// Lets other threads run.
public func yieldThread() { _ = sched_yield() }

/// Returns an id that changes with every start of the machine; empty if the system does not report one.
public func bootIdentity() -> [UInt8] { (try? readFile("/proc/sys/kernel/random/boot_id")) ?? [] }

/// Returns a description of this process for people.
public func processDescription() -> String {
    "process \(getpid()) (\(CommandLine.arguments.prefix(4).joined(separator: " ")))"
}
