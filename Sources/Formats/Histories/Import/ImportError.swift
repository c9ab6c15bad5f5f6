public import Permissions

/// The reason why an import stopped, except for a malformed file (``FormatError``) and storage errors.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store refused a transaction. Those before it are in the store.
    case refused(file: String, line: Int, id: String?, Refusal)
    /// The file does not continue at the end of the store.
    case cannotResume(file: String, line: Int?, reason: String)
    /// The history has levels, and the store is locked, in use, and has none. The import would grant everyone the levels'
    /// privileges on the store.
    case storeIsLocked(directory: String)
    /// The store and the file define levels differently.
    case otherLevels(file: String, directory: String)

    public var description: String {
        switch self {
        case .refused(let file, let line, let id, let refusal):
            "\(file):\(line): \(id.map { "transaction `\($0)` was " } ?? "")refused: \(refusal); "
                + "the earlier transactions are in the store: correct the line and continue with --resume"
        case .cannotResume(let file, let line, let reason):
            "\(file)\(line.map { ":\($0)" } ?? ""): cannot continue this import: \(reason); "
                + "resume with the original file of the import, or import into a new store"
        case .storeIsLocked(let directory):
            "the store `\(directory)` is locked, and a history with levels grants privileges to everyone at the store level. "
                + "Import the history into a new store."
        case .otherLevels(let file, let directory):
            "\(file): the levels in the header are not those of the store `\(directory)`; import into a new store"
        }
    }
}
