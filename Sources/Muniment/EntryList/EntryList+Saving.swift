public import Permissions

extension EntryList {
    /// How prepared entries reach the store.
    public enum SaveMode: Hashable, Sendable {
        /// As one transaction: all or none.
        case together
        /// Each in a transaction of its own: some may fail while others succeed.
        case oneByOne
    }

    /// What becomes of an entry that is on the object already, or of taking away one that is not.
    public enum Repetition: Hashable, Sendable {
        /// It is refused, as `alreadyExists` or `notThere`.
        case isRefused
        /// It succeeds and changes nothing.
        case isAllowed
    }

    /// What became of the prepared entries.
    public struct Outcome: Sendable {
        /// In the order of saving.
        public let succeeded: [Entry]
        /// In the order of saving, each with its reason; empty after saving together.
        public let failed: [RefusedEntry]
    }

    /// An entry that was not saved, and why.
    public struct RefusedEntry: Error, Hashable, Sendable, CustomStringConvertible {
        public let entry: Entry
        public let reason: Refusal

        public var description: String { "\(entry): \(reason.code.rawValue): \(reason.message)" }
    }

    /// Brings what is prepared to the store (CONFORMANCE K5, K6, K8, K9).
    ///
    /// Permanent entries, which are the creator's and the bucket's owner's, cannot be taken away.
    ///
    /// - Parameters:
    ///   - mode: all or none, or each by itself.
    ///   - repetition: whether it is an error that an entry is there already, or not there any more.
    /// - Returns: what succeeded and, one by one, what failed.
    /// - Throws: saving together, ``RefusedEntry`` for the first that is refused, after which nothing was changed. `Refusal` where
    ///   the list as a whole is refused. ``StoreError`` or `LogError` where the store cannot write; one by one, what was saved
    ///   before then stays saved, and ``list(_:)`` shows it. Linear in the number of entries.
    @discardableResult
    public func save(_ mode: SaveMode = .together, repetition: Repetition = .isRefused) async throws -> Outcome {
        switch mode {
        case .together:
            do {
                _ = try await store.commit(Transaction(caller, try changes.map { try change(for: $0, repetition) }))
            } catch let refusal as Refusal {
                guard let place = refusal.change else { throw refusal }
                throw try refused(changes[place], refusal)
            }
            return Outcome(succeeded: changes, failed: [])
        case .oneByOne:
            var succeeded: [Entry] = []
            var failed: [RefusedEntry] = []
            for entry in changes {
                do {
                    _ = try await store.commit(Transaction(caller, [try change(for: entry, repetition)]))
                    succeeded.append(entry)
                } catch let refusal as Refusal {
                    failed.append(try refused(entry, refusal))
                }
            }
            return Outcome(succeeded: succeeded, failed: failed)
        }
    }

    private func change(for entry: Entry, _ repetition: Repetition) throws -> Change {
        var isStrict = repetition == .isRefused
        if entry.isGranted { return .grant(entry.subject, on: object, entry.privileges, strict: isStrict) }
        // What the bucket gives for good is not on the object to be taken away; that it stays must not pass for success.
        if !isStrict { isStrict = try !keptByBucket(entry).isEmpty }
        return .revoke(entry.subject, on: object, entry.privileges, strict: isStrict)
    }

    /// The refusal of an entry. That nothing is there to take away is not the whole of it where the bucket gives it for good.
    private func refused(_ entry: Entry, _ refusal: Refusal) throws -> RefusedEntry {
        guard refusal.code == .notThere, !entry.isGranted else { return RefusedEntry(entry: entry, reason: refusal) }
        let kept = try keptByBucket(entry)
        guard !kept.isEmpty else { return RefusedEntry(entry: entry, reason: refusal) }
        let message =
            "`\(entry.subject)` has `\(kept.joined(separator: ", "))` on every object of the bucket `\(object.className)` "
            + "permanently, as the bucket's owner: it cannot be taken away on `\(object)`"
        return RefusedEntry(entry: entry, reason: Refusal(.permanentEntry, message, change: refusal.change))
    }

    /// Those of an entry's privileges that its subject has through a permanent entry on the bucket.
    private func keptByBucket(_ entry: Entry) throws -> [String] {
        let held = try store.read { try $0.bucketEntries(of: object) }
            .filter { $0.isPermanent && $0.subject == entry.subject }.flatMap(\.privileges)
        return entry.privileges.filter(held.contains)
    }
}
