public import Primitives

/// The answer of a replica to a question for a privilege: as of the confirmed revision, which may be old. It is for the interface
/// only; the service decides.
public struct PrivilegeAnswer: Hashable, Sendable {
    public let verdict: Verdict
    /// The confirmed revision; nil before the first fill.
    public let revision: Revision?
    /// How many seconds ago the service last said that the revision is the current one, by the local clock.
    public let ageSeconds: Int64?

    public enum Verdict: Hashable, Sendable {
        case yes
        case no
        /// The replica does not know: the answer would be too old, a pending transaction created the object, or the replica does not
        /// have its class.
        case unknown
    }
}

extension ReplicaMachine {
    /// Returns whether the user has a privilege on an object, or on a class such as `class:doc`.
    ///
    /// - Parameters:
    ///   - now: the current time of the local clock. Privileges end by it.
    ///   - maxAgeSeconds: the age after which the answer is unknown.
    func answer(
        _ privilege: String, on name: Name, at now: Instant, maxAgeSeconds: Int64, reading storage: some ReplicaStorage
    ) throws -> PrivilegeAnswer {
        guard let confirmed = header.confirmed else { return PrivilegeAnswer(verdict: .unknown, revision: nil, ageSeconds: nil) }
        // A local clock that was set back does not prolong a privilege.
        let time = max(now, confirmed.heardAt)
        let age = (time.microseconds - confirmed.heardAt.microseconds) / 1_000_000
        let verdict: PrivilegeAnswer.Verdict =
            age > maxAgeSeconds ? .unknown : try verdict(privilege, on: name, at: time, confirmed, storage)
        return PrivilegeAnswer(verdict: verdict, revision: confirmed.revision, ageSeconds: age)
    }

    private func verdict(
        _ privilege: String, on name: Name, at time: Instant, _ confirmed: ReplicaHeader.Confirmed, _ storage: some ReplicaStorage
    ) throws -> PrivilegeAnswer.Verdict {
        if let privileges = confirmed.classes[name] {
            return privileges.contains(privilege, at: time) ? .yes : .no
        }
        guard header.classes.contains(name.className) else { return .unknown }
        if let object = try storage.object(name) { return object.privileges.contains(privilege, at: time) ? .yes : .no }
        if try view.object(name, base: storage.object) != nil { return .unknown }
        // The replica has every object of the class that the user may read. Other privileges do not require `read`.
        return privilege == "read" ? .no : .unknown
    }
}
