public import Events
public import Permissions

/// All queries of a store, as `SCENARIOS.md` defines them.
public enum Question: Hashable, Sendable {
    case check(Name, [String], on: Name)
    case privileges(Name, on: Name)
    case subjects(with: [String], on: Name)
    case objects(for: Name, with: [String], className: String?)
    case entries(on: Name)
    case members(of: Name)
    case value(of: Name, as: Name)
    /// The conditions are an object: property → value, or `{"<": value}`.
    case list(className: String, where: JSONValue?, as: Name)
}

/// A store's answer to a query.
public enum Answer: Hashable, Sendable {
    case verdict(Bool)
    /// Names of privileges, sorted by their UTF-8 bytes.
    case privileges([String])
    /// Names of principals or objects, sorted by their UTF-8 bytes.
    case names([Name])
    case entries([EntryRow])
    case value(JSONValue)
    case refused(Refusal.Code)
}

/// One line of the answer to `entries`: sorted by subject, expiry and permission, with missing values first.
public struct EntryRow: Hashable, Sendable {
    public var subject: Name
    public var privileges: [String]
    /// The expiry; nil for access that does not expire.
    public var until: Instant?
    public var isPermanent: Bool
    /// The permission that contains the entry (`permission:x`); nil for a direct entry.
    public var permission: Name?

    public init(
        subject: Name, privileges: [String], until: Instant? = nil, isPermanent: Bool = false, permission: Name? = nil
    ) {
        self.subject = subject
        self.privileges = privileges
        self.until = until
        self.isPermanent = isPermanent
        self.permission = permission
    }
}

/// The point in time of a query.
public enum Point: Hashable, Sendable {
    /// The last revision, at the current time.
    case head
    /// A revision, at its commit time.
    case revision(Revision)
    /// The last commit at or before a moment, at that moment.
    case moment(Instant)
}
