internal import Files

/// The file in which the first start hands over an administrator's token, since standard output often ends up in a journal that
/// several people read.
struct FirstTokenFile {
    let path: String

    /// - Parameter folder: the service's own folder in the data directory.
    init(folder: String) { path = folder + "/first-token" }

    /// Writes the token and the end of a line, for the owner alone (mode 0600).
    func write(_ secret: String) throws { try replaceFile(path, with: Array((secret + "\n").utf8)) }

    /// Asks for the removal of the file, as long as it is there.
    var reminder: String? {
        guard fileExists(path) else { return nil }
        return "`\(path)` still holds a token that may do everything. Keep the token elsewhere and remove the file"
    }
}
