public import Events
public import Permissions
internal import Projections

/// Being told what changes.
extension Store {
    /// The changes at a place in an object's value, as a sequence that waits for the next one: each exactly once, in order, from
    /// now or from a revision on.
    ///
    /// Nothing is kept for those who observe: each takes what it has not seen from the history, so that one that is slow, or comes
    /// back after months, misses nothing and holds nobody up. A change counts when the caller may read the object at its revision;
    /// at the first revision at which it may not, the sequence ends by throwing an ``ObservationEnd``. It ends without an error
    /// when its task is cancelled. Access that is granted until a time ends at the revision that records its end, which a store that
    /// is open for writing makes within a second (``StoreOptions/recordsEnds``, CONFORMANCE F14, E13).
    ///
    /// Beginning costs as much as a check. Going on is linear in the versions of the value, and of all that the right to read it rests
    /// on, that have ended since; each change costs decoding the whole value once.
    ///
    /// - Parameters:
    ///   - object: an object of a class that is not built in.
    ///   - path: the place in its value; all of it when empty. Nothing needs to stand there yet.
    ///   - caller: who observes.
    ///   - revision: the last revision that the caller knows of; what comes behind it is delivered. Nil for the head.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated` where the caller could not read the object at that
    ///   revision; ``StoreError/noSuchRevision(_:head:)``.
    public func observe(
        _ object: Name, at path: JSONPath = [], as caller: Name, since revision: Revision? = nil
    ) throws -> ObservedChanges {
        try withReader { reader in
            let instant = try turn(reader, to: revision.map { .revision($0) } ?? .now)
            let snapshot = Snapshot(reader: reader, instant: instant, memory: queryMemory, log: log)
            let id = try snapshot.readableObject(object, as: caller)
            let access = try reader.readAccess(of: caller, to: id)
            guard let created = access.created else { throw IndexError.damaged }
            return ObservedChanges(
                store: self,
                start: Observer(object: id, created: created, caller: caller, path: path, revision: snapshot.revision))
        }
    }
}
