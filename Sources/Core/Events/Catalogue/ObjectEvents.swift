/// An object of a defined class was created.
public struct ObjectCreated: Hashable, Sendable {
    public var object: Introduction<ObjectID>
    public var classID: ClassID
    public var parent: ObjectID?
    public var owner: PrincipalID
    /// The value as JSON; nil if the object was created without one, which reads as null.
    public var value: [UInt8]?
    /// The targets of the value's links, without duplicates.
    public var links: [Introduction<ObjectID>]

    public init(
        object: Introduction<ObjectID>, classID: ClassID, parent: ObjectID?, owner: PrincipalID, value: [UInt8]? = nil,
        links: [Introduction<ObjectID>] = []
    ) {
        self.object = object
        self.classID = classID
        self.parent = parent
        self.owner = owner
        self.value = value
        self.links = links
    }
}

/// The value of an object was replaced. A merge is recorded as its result.
public struct ObjectWritten: Hashable, Sendable {
    public var object: ObjectID
    /// The value as JSON.
    public var value: [UInt8]
    /// The targets of the value's links, without duplicates.
    public var links: [Introduction<ObjectID>]

    public init(object: ObjectID, value: [UInt8], links: [Introduction<ObjectID>] = []) {
        self.object = object
        self.value = value
        self.links = links
    }
}

/// An object was moved under another parent, or under no parent.
public struct ObjectMoved: Hashable, Sendable {
    public var object: ObjectID
    public var parent: ObjectID?

    public init(object: ObjectID, parent: ObjectID?) {
        self.object = object
        self.parent = parent
    }
}

/// An object has another owner. The old owner's entry stays, and stops being permanent.
public struct OwnerChanged: Hashable, Sendable {
    public var object: ObjectID
    public var owner: PrincipalID

    public init(object: ObjectID, owner: PrincipalID) {
        self.object = object
        self.owner = owner
    }
}
