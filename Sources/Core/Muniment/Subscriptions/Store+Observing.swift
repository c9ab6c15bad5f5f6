public import Events
internal import Permissions
internal import Projections

extension Store {
    /// Returns the changes at a path in an object's value, as a sequence that waits for the next one. Each change is delivered
    /// exactly once, in order, from now or from a revision on.
    ///
    /// The store keeps no state for observers: each reads the changes that it has not processed from the history. A slow
    /// observer, or one that returns after months, misses nothing and delays no other observer.
    ///
    /// - A change is delivered if the caller may read the object at its revision.
    /// - At the first revision without read access the sequence throws an ``ObservationError``.
    /// - When its task is cancelled, the sequence ends without an error.
    /// - Access with an end stops at the revision that records the end. A store that is open for writing records it within a
    ///   second (``StoreOptions/expiryRecording``, CONFORMANCE F14, E13).
    ///
    /// Starting costs as much as a check. Continuing is linear in the number of versions, of the value and of everything the
    /// access depends on, that have ended since. Each change costs decoding the whole value once.
    ///
    /// - Parameters:
    ///   - object: an object of a class that is not built in.
    ///   - path: the path in its value; empty for the whole value. It need not exist yet.
    ///   - caller: the observer.
    ///   - revision: the last revision that the caller has processed; later changes are delivered. Nil for the head.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated` if the caller could not read the object at that
    ///   revision; ``StoreError/noSuchRevision(_:head:)``.
    public func observe(
        _ object: Name, at path: JSONPath = [], as caller: Name, since revision: Revision? = nil
    ) throws -> ObservedChangeSequence {
        try withReader { reader in
            let instant = try turn(reader, to: revision.map { .revision($0) } ?? .now)
            let snapshot = Snapshot(reader: reader, instant: instant, memory: queryMemory, log: log)
            let id = try snapshot.readableObject(object, as: caller)
            let access = try reader.readAccess(of: caller, to: id)
            guard let created = access.created else { throw IndexError.damaged }
            return ObservedChangeSequence(
                store: self,
                start: Observer(object: id, created: created, caller: caller, path: path, revision: snapshot.revision))
        }
    }

    /// Returns whether an observer may read its object now, by the clock. An error counts as no.
    func mayReadNow(_ observer: Observer) -> Bool {
        let looked = look { (reader) throws in
            let instant = try turn(reader, to: .now)
            guard try reader.readAccess(of: observer.caller, to: observer.object).created == observer.created else { return false }
            let snapshot = Snapshot(reader: reader, instant: instant, memory: queryMemory, log: log)
            return try snapshot.readableObject(Name(reader.name(of: observer.object)), as: observer.caller) == observer.object
        }
        return (try? looked.get()) ?? false
    }
}
