public import Events
public import Muniment
internal import Permissions
internal import Projections

extension EntryList {
    /// An entry that applies to the object.
    public struct ListedEntry: Hashable, Sendable {
        /// The place that holds an entry.
        public enum Origin: Hashable, Sendable {
            /// On the object itself.
            case object
            /// On the bucket, for every object in it.
            case bucket
            /// In a permission that is attached to the object or the bucket.
            case permission(Name)
        }

        public let subject: Name
        /// Sorted.
        public let privileges: [String]
        /// When the entry expires; nil if it does not expire.
        public let until: Instant?
        public let origin: Origin
        /// Whether the entry cannot be removed: the entry of the creator or of the bucket's owner.
        public let isPermanent: Bool

        /// Whether the entry was given by the object's creation or its bucket, and was not put on the object.
        public var isDefault: Bool { isPermanent || origin == .bucket }
        /// The actions on objects that the entry allows completely.
        public var actions: ObjectActions {
            ObjectActions.privileges.filter { Set(privileges).isSuperset(of: $0.names) }.reduce(into: []) { $0.insert($1.action) }
        }
    }

    /// Returns the entries that apply to the object, including the default entries (CONFORMANCE K7).
    ///
    /// - Parameter moment: the moment of the query; now by default.
    /// - Returns: the object's entries by subject, then those entries of the bucket that apply to its objects.
    /// - Throws: `Refusal`: `unknownObject`; `noPrivilege` or `notAuthenticated` if the caller may neither read the object nor set
    ///   permissions on it. Linear in the number of entries.
    public func list(_ moment: Moment = .now) throws -> [ListedEntry] {
        try store.read(at: moment) { snapshot in
            guard try snapshot.exists(object) else {
                throw Refusal(.unknownObject, "the object `\(object)` does not exist: create it first, or check the name")
            }
            let held = try snapshot.privileges(of: caller, on: object)
            guard held.contains("read") || held.contains("setPermissions") else {
                throw Refusal(
                    caller == .anonymous ? .notAuthenticated : .noPrivilege,
                    "`\(caller)` may neither read `\(object)` nor set permissions on it, so it cannot see the entries")
            }
            let own = try snapshot.entries(on: object).map { ListedEntry($0, origin: .object) }
            return own + (try snapshot.bucketEntries(of: object))
        }
    }

    /// Returns the prepared entries without those that would change nothing. Use it to save the rest of a partly saved list
    /// (CONFORMANCE K8).
    ///
    /// - Throws: the errors of ``list(_:)``. Linear in the number of entries.
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
    /// Returns the privileges that the bucket's entries give on an object. Empty if the entries of the object's class restrict and
    /// do not give.
    func bucketEntries(of object: Name) throws -> [EntryList.ListedEntry] {
        guard object.kind == .object, let classID = try reader.classID(object.className),
            try reader.options(of: classID)?.composition == .widening
        else { return [] }
        // Privileges about the bucket, and not about objects in it.
        let aboutBucket: Set<String> = ["create", "modifySchema"]
        return try entries(on: .class(object.className))
            .map { EntryList.ListedEntry($0, origin: .bucket, without: aboutBucket) }
            .filter { !$0.privileges.isEmpty }
    }
}
