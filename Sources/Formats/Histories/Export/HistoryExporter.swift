public import Events
public import Muniment
import Permissions

/// Writes the log of a store as a `permission-history/1` file, which imports into an equal store.
///
/// Events that an import creates automatically are omitted: grants of presets and of creations, and expired access.
public struct HistoryExporter {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Writes the header and one line per commit, oldest first.
    ///
    /// A part that does not begin at the first revision must be imported after the previous part: its lines contain only the later
    /// changes.
    ///
    /// - Parameters:
    ///   - from: the first revision to write.
    ///   - to: the last revision; nil for the head.
    ///   - write: receives each line, without its line end.
    /// - Returns: the number of written transactions.
    @discardableResult
    public func export(from: Revision = Revision(1), to: Revision? = nil, write: (String) throws -> Void) throws -> Int {
        let administrator = try administrator()
        try write(try header(administrator).text)
        var count = 0
        let head = try store.head.revision
        let (first, last) = (max(from, Revision(1)), min(to ?? head, head))
        guard first <= last else { return 0 }
        try store.log(from: first, to: last) { commit in
            guard let line = try HistoryExporter.line(for: commit, administrator) else { return }
            try write(line.text)
            count += 1
        }
        return count
    }

    /// Returns the header with the initial state of the store, from its first commit.
    private func header(_ administrator: String?) throws -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("format", .text(Header.Format.history.rawValue))]
        members.append(("store", .text(try store.preset == .open ? "open" : "locked")))
        if let administrator { members.append(("administrator", .text(administrator))) }
        if let levels = try store.levels {
            members.append(("levels", .members(levels.map { ($0.name, .texts($0.privileges)) })))
        }
        return .members(members)
    }

    /// Returns the first administrator of the store.
    private func administrator() throws -> String? {
        var name: String?
        try store.log(from: .genesis, to: .genesis) { commit in
            for case .administratorAppointed(let principal) in commit.commit.events where name == nil {
                name = try commit.name(principal)
            }
        }
        return name
    }

    /// Returns nil for a commit that an import creates automatically.
    ///
    /// - Parameter administrator: the principal that removes access that expired too early because of a wrong clock. An import
    ///   cannot do that automatically.
    private static func line(for commit: DescribedCommit, _ administrator: String?) throws -> OrderedJSON? {
        let actor = commit.commit.actor
        let endedEarly = commit.correctedTime < commit.commit.time
        let exported = ExportedChanges(commit: commit)
        let changes = try commit.commit.events.compactMap { (event) throws -> Change? in
            if endedEarly, case .accessExpired(let end) = event {
                return try exported.change(for: .accessRevoked(end))
            }
            return try exported.change(for: event)
        }
        guard !changes.isEmpty else { return nil }
        var members: [(String, OrderedJSON)] = []
        if let id = commit.commit.origin.requestID { members.append(("id", .text(id))) }
        members.append(("time", .text(commit.correctedTime.description)))
        members.append(("actor", .text(try actor == .system ? administrator ?? commit.name(actor) : commit.name(actor))))
        members.append(("changes", .list(changes.map(OrderedJSON.change))))
        return .members(members)
    }
}
