internal import Glibc

/// Creates a file atomically and durably unless it already exists; returns whether it did.
///
/// Of several concurrent calls one succeeds, and the others find its complete file.
///
/// - Parameters:
///   - path: the file.
///   - bytes: its content.
///   - mode: its mode, as for `chmod`.
public func createFile(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) -> Bool {
    let draft = uniqueDraft(of: path)
    try writeDraft(draft, bytes, mode: mode)
    // A link fails if the name exists. A rename would replace the file.
    let linked = unsafe link(draft, path)
    let code = errno
    _ = unsafe unlink(draft)
    guard linked == 0 || code == EEXIST else { throw FileError(code, "make", path: path) }
    try syncFolder(of: path)
    return linked == 0
}
