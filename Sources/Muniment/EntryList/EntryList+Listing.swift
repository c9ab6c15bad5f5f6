public import Events
public import Permissions
internal import Projections

extension EntryList {
    /// An entry that holds on the object.
    public struct ListedEntry: Hashable, Sendable {
        /// Where an entry stands.
        public enum Origin: Hashable, Sendable {
            /// On the object itself.
            case object
            /// On the bucket, for every object in it.
            case bucket
            /// In a permission that stands on the object or the bucket.
            case permission(Name)
        }

        public let subject: Name
        /// Sorted.
        public let privileges: [String]
        /// When it ends; nil for good.
        public let until: Instant?
        public let origin: Origin
        /// Whether it cannot be taken away: the creator's entry and that of the bucket's owner.
        public let isPermanent: Bool

        /// Whether it holds without having been put on the object: what its creator or the bucket gave it.
        public var isDefault: Bool { isPermanent || origin == .bucket }
        /// The actions on objects that it allows in full.
        public var actions: ObjectActions {
            ObjectActions.privileges.filter { Set(privileges).isSuperset(of: $0.names) }.reduce(into: []) { $0.insert($1.action) }
        }
    }

    /// The entries that hold on the object: those that were put, and the default ones, which are there although nothing was put
    /// (CONFORMANCE K7).
    ///
    /// - Parameter moment: when; without it, now.
    /// - Returns: the object's entries by subject, and behind them those of the bucket, as far as they act on its objects.
    /// - Throws: `Refusal`: `unknownObject`, or `noPrivilege` or `notAuthenticated` where the caller may neither read the object
    ///   nor set permissions on it. Linear in the number of entries.
    public func list(_ moment: Moment = .now) throws -> [ListedEntry] {
        try store.read(at: moment) { snapshot in
            guard try snapshot.exists(object) else {
                throw Refusal(.unknownObject, "there is no object `\(object)`: create it first, or check the name")
            }
            let held = try snapshot.privileges(of: caller, on: object)
            guard held.contains("read") || held.contains("setPermissions") else {
                throw Refusal(
                    caller == .anonymous ? .notAuthenticated : .noPrivilege,
                    "`\(caller)` may neither read `\(object)` nor set permissions on it, and so cannot see its entries")
            }
            let own = try snapshot.entries(on: object).map { ListedEntry($0, origin: .object) }
            return own + (try snapshot.bucketEntries(of: object))
        }
    }

    /// The prepared entries without those that would change nothing: what to save after a part was saved before
    /// (CONFORMANCE K8).
    ///
    /// - Throws: what ``list(_:)`` throws. Linear in the number of entries.
    public func withoutRepetitions() throws -> EntryList {
        var held: [Name: Set<String>] = [:]
        for entry in try list() where entry.origin == .object && entry.until == nil {
            held[entry.subject, default: []].formUnion(entry.privileges)
        }
        var rest = self
        rest.changes = changes.filter { entry in
            let present = held[entry.subject] ?? []
            return entry.isGranted ? !present.isSuperset(of: entry.privileges) : !present.isDisjoint(with: entry.privileges)
        }
        return rest
    }
}

extension EntryList.ListedEntry {
    fileprivate init(_ entry: EntryDescription, origin: Origin, without hidden: Set<String> = []) {
        self.init(
            subject: Name(entry.subject), privileges: entry.privileges.filter { !hidden.contains($0) }, until: entry.until,
            origin: entry.permission.map { .permission(.permission($0)) } ?? origin, isPermanent: entry.isPermanent)
    }
}

extension Snapshot {
    /// What a bucket's own entries give on an object in it; empty where the object's class narrows, and does not give.
    func bucketEntries(of object: Name) throws -> [EntryList.ListedEntry] {
        guard object.kind == .object, let classID = try reader.classID(object.className),
            try reader.options(of: classID)?.composition == .widening
        else { return [] }
        // About the bucket, and not about objects in it.
        let aboutBucket: Set<String> = ["create", "modifySchema"]
        return try entries(on: .class(object.className))
            .map { EntryList.ListedEntry($0, origin: .bucket, without: aboutBucket) }
            .filter { !$0.privileges.isEmpty }
    }
}
