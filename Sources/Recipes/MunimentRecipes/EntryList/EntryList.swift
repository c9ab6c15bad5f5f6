public import Muniment
public import Permissions

/// A list of changes to the entries of one object, prepared by one caller and then saved (CONFORMANCE K4).
///
/// ```swift
/// var list = EntryList(of: "post:1", in: store, as: "user:ann")
/// list.put(.everyone, .read)
/// list.put("user:bob", [.read, .write])
/// list.put("user:carl", .read, grant: false)
/// try await list.save()
/// ```
///
/// Preparing neither reads nor changes the store. Saving does not empty the list. Saving twice is refused, because the entries
/// already exist, unless repetitions are allowed.
public struct EntryList: Sendable {
    public let store: Store
    /// The object to change; the `class:` object for a bucket's own entries.
    public let object: Name
    /// The caller that saves the changes.
    public let caller: Name
    /// The prepared changes, in the order of saving.
    public internal(set) var changes: [Entry] = []

    /// Creates an empty list. Constant time.
    ///
    /// - Parameters:
    ///   - object: the object to change.
    ///   - store: open for writing.
    ///   - caller: a user or thing that may set permissions on the object, such as its creator.
    public init(of object: Name, in store: Store, as caller: Name) {
        self.object = object
        self.store = store
        self.caller = caller
    }

    /// One change: privileges to give to a subject on the object, or to remove.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// A user, a role (its members), a thing, `everyone` (any user or thing that is signed in) or `anonymous` (CONFORMANCE K2).
        public let subject: Name
        /// Sorted, without duplicates.
        public let privileges: [String]
        /// Whether to put the entry on the object; false removes it (CONFORMANCE K6).
        public let isGranted: Bool

        /// Creates a change. Linear in the number of privileges.
        ///
        /// - Parameters:
        ///   - subject: the subject of the entry.
        ///   - privileges: names of privileges that the object's class knows.
        ///   - grant: whether to put or to remove them.
        public init(_ subject: Name, privileges: [String], grant: Bool = true) {
            self.subject = subject
            self.privileges = Set(privileges).sorted()
            isGranted = grant
        }

        public var description: String { "\(isGranted ? "+" : "-") \(subject): \(privileges.joined(separator: ", "))" }
    }

    /// Prepares an entry for each of some actions on an object.
    ///
    /// - Parameters:
    ///   - subject: the subject of the entries.
    ///   - actions: one entry is prepared for each.
    ///   - grant: false prepares the removal of the entries.
    public mutating func put(_ subject: Name, _ actions: ObjectActions, grant: Bool = true) {
        for (action, names) in ObjectActions.privileges where actions.contains(action) {
            put(Entry(subject, privileges: names, grant: grant))
        }
    }

    /// Prepares an entry for each of some actions on a bucket, for a list of the bucket's own entries.
    ///
    /// - Parameters:
    ///   - subject: the subject of the entries.
    ///   - actions: one entry is prepared for each.
    ///   - grant: false prepares the removal of the entries.
    public mutating func put(_ subject: Name, bucket actions: BucketActions, grant: Bool = true) {
        for (action, names) in BucketActions.privileges where actions.contains(action) {
            put(Entry(subject, privileges: names, grant: grant))
        }
    }

    /// Prepares an entry. Does nothing if the list already contains it.
    ///
    /// - Parameter entry: the change. Linear in the number of prepared entries.
    public mutating func put(_ entry: Entry) {
        if !changes.contains(entry) { changes.append(entry) }
    }

    /// Removes an entry from the list. Does not change the store: to remove an entry from the object, put it with `grant: false`
    /// and save.
    ///
    /// - Parameter entry: a prepared entry.
    /// - Returns: whether the list contained it. Linear in the number of prepared entries.
    @discardableResult
    public mutating func remove(_ entry: Entry) -> Bool {
        guard let place = changes.firstIndex(of: entry) else { return false }
        changes.remove(at: place)
        return true
    }
}
