internal import Files

/// The file for the administrator's token that the first start creates. Standard output is not used, because it is often stored in
/// a journal that several people read.
struct FirstTokenFile {
    let path: String

    /// - Parameter folder: the service's own folder in the data directory.
    init(folder: String) { path = folder + "/first-token" }

    /// Writes the token and a line end, readable by the owner only (mode 0600).
    func write(_ secret: String) throws { try replaceFile(path, with: Array((secret + "\n").utf8)) }

    /// A reminder to remove the file, if it exists.
    var reminder: String? {
        guard fileExists(path) else { return nil }
        return "`\(path)` still contains a token with all rights. Store the token elsewhere and remove the file"
    }
}
