public import Primitives

/// An object of the confirmed state: as the service shows it to the user at the confirmed revision.
public struct ReplicaObject: Hashable, Sendable {
    public let name: Name
    public var value: JSONValue { didSet { source.text = nil } }
    /// The last revision that changed the object.
    public var changed: Revision { didSet { source.text = nil } }
    /// The parent; nil without one, and if the user may not read it.
    public var parent: Name? { didSet { source.text = nil } }
    public var privileges: PrivilegeEnds { didSet { source.text = nil } }
    private var source = Source()

    /// The text that an object was read from, which the storage keeps as it is. It is not a part of the object.
    private struct Source: Hashable {
        var text: [UInt8]?

        static func == (left: Source, right: Source) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates an object from its parts.
    public init(
        _ name: Name, value: JSONValue = .null, changed: Revision, parent: Name? = nil, privileges: PrivilegeEnds
    ) {
        (self.name, self.value, self.changed, self.parent, self.privileges) = (name, value, changed, parent, privileges)
    }
}

/// The storage has the text of an object in the stream: a first fill does little more than read it.
extension ReplicaObject: StoredValue {
    func encoded() throws(JSONError) -> [UInt8] {
        if let text = source.text { return text }
        var members: JSONObject = [
            "object": .string(name.text), "class": .string(name.className), "value": value,
            "changed": .integer(Int64(clamping: changed.rawValue)), "privileges": privileges.json,
        ]
        if let parent { members["parent"] = .string(parent.text) }
        return try JSONText.encode(.object(members))
    }

    init(decoding bytes: [UInt8]) throws {
        var reader = try JSONReader(bytes)
        try self.init(&reader)
        try reader.end()
    }

    /// Reads the next value of a text.
    ///
    /// - Parameters:
    ///   - reader: the text.
    ///   - keepsText: whether the object will be stored.
    init(_ reader: inout JSONReader, keepsText: Bool = false) throws(JSONError) {
        try reader.expect(.object, "an object")
        let start = reader.position
        var (name, changed, privileges) = (Name?.none, Revision?.none, PrivilegeEnds?.none)
        var (value, parent) = (JSONValue.null, Name?.none)
        try reader.takeMembers { reader, member throws(JSONError) in
            switch member {
            case .object: name = Name(try reader.takeExpectedText())
            case .value: value = try reader.takeValue()
            case .changed: changed = try reader.takeRevision()
            case .parent: parent = Name(try reader.takeExpectedText())
            case .privileges: privileges = try PrivilegeEnds(&reader)
            default: try reader.skip()
            }
        }
        guard let name, let changed, let privileges else {
            throw .inReplica("an object lacks `object`, `changed` or `privileges`", at: start)
        }
        guard name.isWellFormed else { throw .inReplica("`\(name.excerpt)` is not a name", at: start) }
        self.init(name, value: value, changed: changed, parent: parent, privileges: privileges)
        if keepsText { source.text = reader.text(from: start) }
    }
}

extension JSONReader {
    /// Throws unless the next value has a type.
    mutating func expect(_ type: Next, _ what: String) throws(JSONError) {
        guard try next() == type else { throw unexpected(what) }
    }

    /// Reads the next value, which must be a text.
    mutating func takeExpectedText() throws(JSONError) -> String {
        try expect(.text, "a text")
        return try takeText()
    }

    fileprivate mutating func takeRevision() throws(JSONError) -> Revision {
        let start = position
        guard case .integer(let number) = try takeValue(), number >= 0 else {
            throw .inReplica("a revision is not a whole number from 0", at: start)
        }
        return Revision(UInt64(number))
    }
}

extension JSONError {
    /// The error of a text from the service or the storage.
    static func inReplica(_ problem: String, at offset: Int) -> JSONError {
        JSONError(.malformed, at: offset, problem, "update the client or the service")
    }
}

extension JSONName {
    static let changed = JSONName("changed")
    static let removed = JSONName("removed")
    fileprivate static let object = JSONName("object")
    fileprivate static let value = JSONName("value")
    fileprivate static let parent = JSONName("parent")
    fileprivate static let privileges = JSONName("privileges")
}

/// An object of the view: the confirmed state with the pending transactions applied.
public struct ReplicaViewObject: Hashable, Sendable {
    public let name: Name
    public var value: JSONValue
    public var parent: Name?
    /// The last confirmed revision that changed the object; nil if a pending transaction created it.
    public var changed: Revision?
    /// The confirmed privileges; nil if a pending transaction created the object: the service decides them.
    public var privileges: PrivilegeEnds?
    /// Whether a pending transaction names the object among those that it changes.
    public var isPending: Bool

    init(
        _ name: Name, value: JSONValue, parent: Name?, changed: Revision? = nil, privileges: PrivilegeEnds? = nil,
        isPending: Bool
    ) {
        (self.name, self.value, self.parent) = (name, value, parent)
        (self.changed, self.privileges, self.isPending) = (changed, privileges, isPending)
    }

    init(_ object: ReplicaObject, isPending: Bool) {
        self.init(
            object.name, value: object.value, parent: object.parent, changed: object.changed, privileges: object.privileges,
            isPending: isPending)
    }

    /// Whether `read` has not ended at an instant. The service decides the privileges of an object that a pending transaction created.
    func isReadable(at instant: Instant) -> Bool { privileges?.contains("read", at: instant) ?? true }
}
