public import Events
public import Permissions
internal import Projections

/// Why a caller finds no object of a class, and the grant that would help. It depends only on facts that the caller may know: its own
/// privileges, and the objects that it may read.
public struct ListNote: Hashable, Sendable {
    public let reason: Reason
    public let message: String

    /// Why the caller finds no object.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The entries of the store do not give it `read`.
        case storeLevel
        /// The entries of the class do not give it `read`.
        case classLevel
        /// It may read objects that the query matches, and lacks `query` on all of them.
        case noQuery
        /// It may read no object that the query matches.
        case noAccess
    }
}

extension Snapshot {
    /// Returns why a query without results finds nothing, if its caller lacks access. Costs at most as much as the query.
    ///
    /// - Parameters:
    ///   - query: a query with an empty first page.
    ///   - caller: the caller, who must be allowed to query the class.
    /// - Returns: nil for an administrator, for a caller with access to all objects of the class, and for a role that does
    ///   not exist.
    /// - Throws: `Refusal`, as ``query(_:as:after:)``.
    public func note(onEmpty query: Query, as caller: Name) throws -> ListNote? {
        guard let (classID, subjects) = try mayQuery(query.className, as: caller), !subjects.isAdministrator,
            let options = try reader.options(of: classID)
        else { return nil }
        let className = Name(query.className).excerpt
        let verdict = try rules.classVerdict(for: subjects, on: classID)
        if !verdict.allows(.read), let place = levelAbove(options, verdict, query.className) {
            return ListNote(
                reason: place == .store ? .storeLevel : .classLevel,
                message: "`\(caller.excerpt)` may read no object of class `\(className)`: the entries of `\(place.excerpt)` do not "
                    + "give it read. Grant read on `\(place.excerpt)`")
        }
        if options.objectACL == .none || options.composition == .widening && verdict.allows(.read) { return nil }
        let first = Query(query.className, where: query.condition, limit: 1)
        guard try reader.find(first, in: classID, for: subjects, wanted: .read, at: instant).objects.isEmpty else {
            return ListNote(
                reason: .noQuery,
                message:
                    "`\(caller.excerpt)` may read objects of class `\(className)`, but not query them, so lists do not contain "
                    + "them. Grant query on the objects")
        }
        let matching = query.condition == nil ? "" : " that matches"
        return ListNote(
            reason: .noAccess,
            message:
                "`\(caller.excerpt)` may read and query no object of class `\(className)`\(matching). To list an object, a caller needs "
                + "read and query on it")
    }

    /// Returns the level that denies `read` on every object of a class; nil without one.
    private func levelAbove(_ options: ClassOptions, _ verdict: Verdict, _ className: String) -> Name? {
        if verdict.decidingLevel(for: .read) == .store { return .store }
        return options.composition == .narrowing ? .class(className) : nil
    }
}

extension Store {
    /// Returns why a page without objects is empty, for an audience. An audience may not know which objects a caller could read in the
    /// past: then only the levels count.
    package func note(onEmpty query: Query, as caller: Name, at moment: Moment, for audience: Audience) throws -> ListNote? {
        let note = try read(at: moment) { try $0.note(onEmpty: query, as: caller) }
        guard moment != .now, audience != .unrestricted, let note else { return note }
        return note.reason == .storeLevel || note.reason == .classLevel ? note : nil
    }
}
