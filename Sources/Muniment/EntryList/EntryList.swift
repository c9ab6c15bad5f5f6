public import Permissions

/// A list of changes to the entries of one object, prepared as one caller and then saved (CONFORMANCE K4).
///
/// ```swift
/// var list = EntryList(of: "post:1", in: store, as: "user:ann")
/// list.put(.everyone, .read)
/// list.put("user:bob", [.read, .write])
/// list.put("user:carl", .read, grant: false)
/// try await list.save()
/// ```
///
/// Preparing never asks and never changes the store. Saving does not empty the list: what is saved twice is refused, since it is
/// there already, unless repetitions are allowed.
public struct EntryList: Sendable {
    public let store: Store
    /// The object whose entries change; for a bucket's own entries its `class:` object.
    public let object: Name
    /// Who changes them.
    public let caller: Name
    /// What is prepared so far, in the order of saving.
    public internal(set) var changes: [Entry] = []

    /// Begins an empty list. Constant.
    ///
    /// - Parameters:
    ///   - object: the object whose entries change.
    ///   - store: open for writing.
    ///   - caller: a user or thing that may set permissions on the object, such as its creator.
    public init(of object: Name, in store: Store, as caller: Name) {
        self.object = object
        self.store = store
        self.caller = caller
    }

    /// One change: privileges that a subject is to have on the object, or is to lose.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// A user, a role (its members), a thing, `everyone` (any user or thing that is signed in) or `anonymous` (CONFORMANCE K2).
        public let subject: Name
        /// Sorted, each once.
        public let privileges: [String]
        /// Whether the entry is to be put on the object; false takes it away (CONFORMANCE K6).
        public let isGranted: Bool

        /// Describes one change. Linear in the number of privileges.
        ///
        /// - Parameters:
        ///   - subject: whom it is about.
        ///   - privileges: names of privileges that the object's class knows.
        ///   - grant: whether they are put or taken away.
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
    ///   - subject: whom it is about.
    ///   - actions: one entry is prepared for each.
    ///   - grant: false prepares that the entries are taken away.
    public mutating func put(_ subject: Name, _ actions: ObjectActions, grant: Bool = true) {
        for (action, names) in ObjectActions.privileges where actions.contains(action) {
            put(Entry(subject, privileges: names, grant: grant))
        }
    }

    /// Prepares an entry for each of some actions on a bucket, for a list of the bucket's own entries.
    ///
    /// - Parameters:
    ///   - subject: whom it is about.
    ///   - actions: one entry is prepared for each.
    ///   - grant: false prepares that the entries are taken away.
    public mutating func put(_ subject: Name, bucket actions: BucketActions, grant: Bool = true) {
        for (action, names) in BucketActions.privileges where actions.contains(action) {
            put(Entry(subject, privileges: names, grant: grant))
        }
    }

    /// Prepares an entry. One that is in the list already stands there once.
    ///
    /// - Parameter entry: what is to change. Linear in the number of prepared entries.
    public mutating func put(_ entry: Entry) {
        if !changes.contains(entry) { changes.append(entry) }
    }

    /// Takes an entry out of what is prepared, and leaves the store as it is: to take one off the object, put it with
    /// `grant: false` and save.
    ///
    /// - Parameter entry: one that was put.
    /// - Returns: whether it was there. Linear in the number of prepared entries.
    @discardableResult
    public mutating func remove(_ entry: Entry) -> Bool {
        guard let place = changes.firstIndex(of: entry) else { return false }
        changes.remove(at: place)
        return true
    }
}
