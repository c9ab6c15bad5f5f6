internal import Muniment
public import Permissions

extension EntryList {
    /// The transactions that save the prepared entries.
    public enum SaveMode: Hashable, Sendable {
        /// One transaction: all entries or none.
        case together
        /// One transaction per entry: some may fail and others succeed.
        case oneByOne
    }

    /// What to do if an entry to add exists already, or an entry to remove does not exist.
    public enum DuplicateHandling: Hashable, Sendable {
        /// Refused as `alreadyExists` or `notThere`.
        case isRefused
        /// Succeeds and changes nothing.
        case isAllowed
    }

    /// The result of saving the prepared entries.
    public struct Outcome: Sendable {
        /// In the order of saving.
        public let succeeded: [Entry]
        /// The entries that were refused, in the order of saving, each with its reason. Always empty for ``SaveMode/together``.
        public let failed: [EntryError]
    }

    /// An entry that was not saved, and the reason.
    public struct EntryError: Error, Hashable, Sendable, CustomStringConvertible {
        public let entry: Entry
        public let reason: Refusal

        public var description: String { "\(entry): \(reason.code.rawValue): \(reason.message)" }
    }

    /// Saves the prepared entries in the store (CONFORMANCE K5, K6, K8, K9).
    ///
    /// The permanent entries of the creator and the bucket's owner cannot be removed.
    ///
    /// - Parameters:
    ///   - mode: all entries or none, or each entry separately.
    ///   - repetition: whether an entry that exists already, or no longer exists, is an error.
    /// - Returns: the entries that succeeded and, for ``SaveMode/oneByOne``, those that failed.
    /// - Throws: for ``SaveMode/together``, ``EntryError`` for the first refused entry; nothing is changed. `Refusal` if the
    ///   whole list is refused. ``Muniment/StoreError`` or `LogError` if the store cannot write; for ``SaveMode/oneByOne``, the
    ///   entries saved before stay saved.
    /// - Complexity: linear in the number of entries.
    @discardableResult
    public func save(_ mode: SaveMode = .together, repetition: DuplicateHandling = .isRefused) async throws -> Outcome {
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
            var failed: [EntryError] = []
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

    private func change(for entry: Entry, _ repetition: DuplicateHandling) throws -> Change {
        var isStrict = repetition == .isRefused
        if entry.isGranted { return .grant(entry.subject, on: object, entry.privileges, strict: isStrict) }
        // A permanent entry is on the bucket and not on the object, so it cannot be removed here. The strict change is refused.
        if !isStrict { isStrict = try !keptByBucket(entry).isEmpty }
        return .revoke(entry.subject, on: object, entry.privileges, strict: isStrict)
    }

    /// Returns the refusal of an entry. If the bucket gives the privileges permanently, the refusal says so instead of `notThere`.
    private func refused(_ entry: Entry, _ refusal: Refusal) throws -> EntryError {
        guard refusal.code == .notThere, !entry.isGranted else { return EntryError(entry: entry, reason: refusal) }
        let kept = try keptByBucket(entry)
        guard !kept.isEmpty else { return EntryError(entry: entry, reason: refusal) }
        let message =
            "`\(entry.subject)` has `\(kept.joined(separator: ", "))` on every object of the bucket `\(object.className)` "
            + "permanently, as the bucket's owner: it cannot be revoked on `\(object)`"
        return EntryError(entry: entry, reason: Refusal(.permanentEntry, message, change: refusal.change))
    }

    /// Returns the privileges of an entry that its subject has through a permanent entry on the bucket.
    private func keptByBucket(_ entry: Entry) throws -> [String] {
        let held = try store.read { try $0.bucketEntries(of: object) }
            .filter { $0.isPermanent && $0.subject == entry.subject }.flatMap(\.privileges)
        return entry.privileges.filter(held.contains)
    }
}
