internal import Glibc

/// Puts a new file in place whole, and durably, unless there is one already; answers whether it did.
///
/// Of several that try at the same time one succeeds, and the others find its file whole.
///
/// - Parameters:
///   - path: the file.
///   - bytes: what is to be in it.
///   - mode: who may do what to it, as `chmod` has it.
public func createFile(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) -> Bool {
    let draft = "\(path).\(getpid())-\(UInt64.random(in: 0 ... .max)).new"
    try writeDraft(draft, bytes, mode: mode)
    // A link is made where there is no such name, which a renaming does not look at.
    let linked = unsafe link(draft, path)
    let code = errno
    _ = unsafe unlink(draft)
    guard linked == 0 || code == EEXIST else { throw FileError(code, "make", path: path) }
    try syncFolder(of: path)
    return linked == 0
}
