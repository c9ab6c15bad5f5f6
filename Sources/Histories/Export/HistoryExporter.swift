public import Events
public import Muniment
import Permissions

/// Writes the log of a store as a `permission-history/1` file, which imports into an equal store.
///
/// What an import makes again by itself is left out: what presets and creations grant, and access that came to its end.
public struct HistoryExporter {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Writes the header and a line for each commit, oldest first.
    ///
    /// A part that does not begin at the first revision goes behind the part before it: its lines say only what changed.
    ///
    /// - Parameters:
    ///   - from: the first revision to write.
    ///   - to: the last one; nil for the newest.
    ///   - write: takes each line, without its end.
    /// - Returns: how many transactions were written.
    @discardableResult
    public func export(from: Revision = Revision(1), to: Revision? = nil, write: (String) throws -> Void) throws -> Int {
        try write(try header().text)
        var count = 0
        let head = try store.head.revision
        let (first, last) = (max(from, Revision(1)), min(to ?? head, head))
        guard first <= last else { return 0 }
        try store.log(from: first, to: last) { commit in
            guard let line = try HistoryExporter.line(for: commit) else { return }
            try write(line.text)
            count += 1
        }
        return count
    }

    /// How the store began, from the commit that made it.
    private func header() throws -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("format", .text(Header.Format.history.rawValue))]
        members.append(("store", .text(try store.preset == .open ? "open" : "locked")))
        try store.log(from: .genesis, to: .genesis) { commit in
            for case .administratorAppointed(let event) in commit.commit.events {
                members.append(("administrator", .text(try commit.name(event.principal))))
                return
            }
        }
        if let levels = try store.levels {
            members.append(("levels", .members(levels.map { ($0.name, .texts($0.privileges)) })))
        }
        return .members(members)
    }

    /// Nil for a commit that an import makes again by itself.
    private static func line(for commit: DescribedCommit) throws -> OrderedJSON? {
        let actor = commit.commit.actor
        let changes = try commit.commit.events.compactMap { try ExportedChange.json(for: $0, by: actor, in: commit) }
        guard !changes.isEmpty else { return nil }
        var members: [(String, OrderedJSON)] = []
        if let id = commit.commit.origin.requestID { members.append(("id", .text(id))) }
        members.append(("time", .text(commit.commit.time.description)))
        members.append(("actor", .text(try commit.name(actor))))
        members.append(("changes", .list(changes)))
        return .members(members)
    }
}
