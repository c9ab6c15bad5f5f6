internal import Events
public import Permissions
internal import Projections

extension Snapshot {
    /// Returns the smallest changes that would allow a denied check: grants to the subject itself on the object, its class and the
    /// store, and memberships in roles that have the missing privileges (CONFORMANCE E11).
    ///
    /// Each proposal was checked with the access rules at this moment, and all of its changes are required. If the store does not
    /// know a user or thing, the proposal registers it. If a class lacks a privilege, the proposal adds it. A proposal never adds
    /// an administrator. Nothing is written.
    ///
    /// - Parameters:
    ///   - explanation: the result of ``explain(_:_:on:for:)`` of this snapshot, or of another one at the same moment.
    ///   - audience: who reads the proposals. A proposal contains no role that a restricted audience may not know: it knows the roles
    ///     that it may read, and those with entries on the object.
    /// - Complexity: linear in the entries on the object, its class, the store and above the object; for each role that helps, up
    ///   to ``Permissions/ExplanationLimits/rolesConsidered``, a few checks.
    public func proposals(for explanation: Explanation, to audience: Audience = .unrestricted) throws -> ProposalList {
        func obstacle(_ obstacle: ProposalList.Obstacle) -> ProposalList {
            ProposalList(proposals: [], isComplete: true, obstacle: obstacle)
        }
        guard !explanation.privileges.isEmpty else { return obstacle(.nothingAsked) }
        guard let caller = try reader.caller(explanation.subject) else { return obstacle(.unknownSubject) }
        guard let object = try reader.object(explanation.object) else { return obstacle(.unknownObject) }
        var names = reader.state.privilegeNames
        var wanted: Privileges = []
        for name in explanation.privileges {
            guard let privilege = names.privilege(name) ?? (name.isSymbol ? names.define(name) : nil) else {
                return obstacle(.impossiblePrivilege(name))
            }
            wanted.formUnion(privilege)
        }
        let disclosure = try Disclosure(to: audience, reader)
        guard
            let search = try ProposalSearch(
                reader, at: instant, for: caller, on: object, wanted: wanted,
                countsAdministration: disclosure.tellsAdministration(of: caller))
        else { return obstacle(.unknownObject) }
        let (remedies, areComplete) = try search.remedies()
        func isKnown(_ role: PrincipalID) throws -> Bool {
            if try disclosure.mayKnow(ObjectID(role), at: revision) { return true }
            guard try disclosure.mayKnowEntries(on: object, at: revision) else { return false }
            return try reader.grants(.object, on: object, to: nil, at: instant, wanted: .all).contains { $0.subject == role }
        }
        return ProposalList(
            proposals: try remedies.filter { try $0.roles.allSatisfy(isKnown) }.map {
                Proposal(changes: try changes($0, for: explanation.subject, names))
            },
            isComplete: areComplete, obstacle: nil)
    }

    /// Returns a remedy as changes, with prerequisites first.
    private func changes(_ remedy: ProposedChanges, for subject: Name, _ names: PrivilegeNames) throws -> [Change] {
        var changes: [Change] = remedy.registers ? [.register(subject)] : []
        for (classID, added) in remedy.classes.sorted(by: { $0.key < $1.key }) {
            let present = try reader.options(of: classID)?.privileges ?? []
            let name = Name(try reader.name(of: classID)).id ?? ""
            changes.append(.changeClass(name, ClassSettings(privileges: names.names(of: present.union(added)))))
        }
        for role in remedy.roles { changes.append(.addMember(subject, to: Name(try reader.name(of: role)))) }
        // The lowest level first, in reading order.
        for (object, privileges) in remedy.grants.sorted(by: { $0.key > $1.key }) {
            changes.append(.grant(subject, on: Name(try reader.name(of: object)), names.names(of: privileges)))
        }
        return changes
    }
}

extension String {
    fileprivate var isSymbol: Bool {
        !isEmpty && utf8.count <= Limits.symbolBytes && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

/// Changes that would allow a denied check, for an administrator to commit in one transaction. All of them are required.
public struct Proposal: Hashable, Sendable {
    public let changes: [Change]
}

/// The proposals that would allow a denied check.
public struct ProposalList: Sendable {
    /// Sorted by the number of changes, fewest first. Empty if nothing is denied, or if an obstacle exists.
    public let proposals: [Proposal]
    /// Whether the list is complete: it contains at most ``Permissions/ExplanationLimits/proposals``.
    public let isComplete: Bool
    /// Why no grant would suffice; nil if one does, or if nothing is denied.
    public let obstacle: Obstacle?

    /// Why nothing can be proposed.
    public enum Obstacle: Hashable, Sendable {
        /// The object must be created first.
        case unknownObject
        /// The role must be created first, or the name is not valid for any subject.
        case unknownSubject
        /// A privilege of this name is not possible: the name is ill-formed, or the store has its maximum of custom privileges.
        case impossiblePrivilege(String)
        /// The check named no privileges.
        case nothingAsked
    }
}
