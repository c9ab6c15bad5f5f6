public import Events
internal import Permissions

/// The notices of one subscriber about one object at one revision, as `SCENARIOS.md` defines them.
public struct NaiveNotice: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case deleted, madeInaccessible, madePrivate, madePublic, privilegesChanged, shared, unshared
    }

    public var revision: Revision
    public var kind: Kind
    public var object: Name
    /// Sorted. Empty unless privileges have changed.
    public var gained: [String] = []
    public var lost: [String] = []
    /// Whether the subscriber could read the object before.
    public var wasAccessible: Bool

    public init(
        revision: Revision, kind: Kind, object: Name, gained: [String] = [], lost: [String] = [], wasAccessible: Bool
    ) {
        self.revision = revision
        self.kind = kind
        self.object = object
        self.gained = gained
        self.lost = lost
        self.wasAccessible = wasAccessible
    }
}

/// The access of one caller to one object at one revision.
public struct NaiveStanding: Hashable, Sendable {
    /// Distinguishes this object from other objects that had the same name.
    var birth: Int
    /// The privileges of the caller.
    public var privileges: Privileges
    /// P: whether a signed-in caller without entries may read it.
    public var isPublic: Bool
    /// H: whether the caller administers the store, or may read it without the entries for those who are named nowhere.
    public var isShared: Bool
    /// A: whether the caller may read it.
    public var isReadable: Bool { privileges.contains(.read) }
}

extension NaiveModel {
    /// The access of a caller to each object that exists at a revision.
    public func standings(of subject: Name, at revision: Revision) -> [Name: NaiveStanding] {
        // The log has every expiry up to a revision's time before that revision, so that no access in the state has expired.
        let view = NaiveView(state: view(.revision(revision), now: .distantPast).state, now: .distantPast)
        return view.standings(of: subject)
    }

    /// The access of a caller to each object, at every revision up to the head.
    public func standings(of subject: Name) -> [[Name: NaiveStanding]] {
        (0...head.rawValue).map { standings(of: subject, at: Revision($0)) }
    }

    /// The names of some privileges, sorted.
    public func names(of privileges: Privileges) -> [String] {
        view(.head, now: .distantPast).state.privilegeNames.names(of: privileges)
    }

    /// The notices of a caller after a revision, found by a comparison of each revision with the previous one for every object;
    /// sorted by revision, kind and object.
    ///
    /// - Parameter standings: the access of the caller to each object at every revision, including the first one.
    public func notices(among standings: [[Name: NaiveStanding]], after revision: Revision) -> [NaiveNotice] {
        zip(standings, standings.dropFirst()).enumerated().dropFirst(Int(revision.rawValue)).flatMap { number, step in
            notices(from: step.0, to: step.1, at: Revision(UInt64(number + 1)))
        }
    }

    /// The notices about one step from a revision to the next.
    public func notices(
        from before: [Name: NaiveStanding], to after: [Name: NaiveStanding], at revision: Revision
    ) -> [NaiveNotice] {
        var notices: [NaiveNotice] = []
        for object in Set(before.keys).union(after.keys) {
            let (old, new) = (before[object], after[object])
            func tell(_ kind: NaiveNotice.Kind, of old: NaiveStanding?) {
                notices.append(
                    NaiveNotice(revision: revision, kind: kind, object: object, wasAccessible: old?.isReadable ?? false))
            }
            // An object that was deleted and created again in the same step counts as two objects.
            let stays = old?.birth == new?.birth
            if let old, !stays, old.isReadable { tell(.deleted, of: old) }
            guard let new else { continue }
            let from = stays ? old : nil
            let (wasPublic, wasShared, wasReadable) = (
                from?.isPublic ?? false, from?.isShared ?? false, from?.isReadable ?? false
            )
            if new.isReadable {
                if !wasPublic, new.isPublic { tell(.madePublic, of: from) }
                if wasPublic, !new.isPublic { tell(.madePrivate, of: from) }
                if !wasShared, new.isShared { tell(.shared, of: from) }
                if wasShared, !new.isShared { tell(.unshared, of: from) }
            } else if wasReadable {
                tell(.madeInaccessible, of: from)
            }
            if let from, wasReadable, new.isReadable, from.privileges != new.privileges {
                notices.append(change(of: object, from.privileges, new.privileges, at: revision))
            }
        }
        return notices.sorted { ($0.kind.rawValue, $0.object) < ($1.kind.rawValue, $1.object) }
    }

    private func change(of object: Name, _ before: Privileges, _ after: Privileges, at revision: Revision) -> NaiveNotice {
        NaiveNotice(
            revision: revision, kind: .privilegesChanged, object: object, gained: names(of: after.subtracting(before)),
            lost: names(of: before.subtracting(after)), wasAccessible: true)
    }
}

extension NaiveView {
    func standings(of subject: Name) -> [Name: NaiveStanding] {
        // A role that does not exist has no access.
        let access = isCaller(subject) ? access(of: subject) : { _ in [] }
        let publicAccess = self.access(of: .everyone, administrators: false)
        let subjects = subjects(of: subject)
        let own = subjects.subtracting(self.subjects(of: .everyone))
        let readable = readableObjects(subjects, deciding: own)
        let isAdministrator = isAdministrator(subject)
        var standings: [Name: NaiveStanding] = [:]
        for (id, object) in state.objects {
            standings[state.names.name(of: id)] = NaiveStanding(
                birth: object.birth, privileges: access(id), isPublic: publicAccess(id).contains(.read),
                isShared: isAdministrator
                    || isCaller(subject) && effective(id, subjects, deciding: own, readable: readable).contains(.read))
        }
        return standings
    }
}
