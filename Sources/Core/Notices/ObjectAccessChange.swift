public import Events

/// The change of a subscriber's access to an object by one commit.
public struct ObjectAccessChange: Hashable, Sendable {
    public let object: ObjectID
    public let before: ObjectAccess
    public let after: ObjectAccess
    /// Whether the object was deleted and another one created under its name. The new object inherits nothing from the old one.
    public let isAnother: Bool

    public init(object: ObjectID, before: ObjectAccess, after: ObjectAccess, isAnother: Bool) {
        self.object = object
        self.before = before
        self.after = after
        self.isAnother = isAnother && before.exists && after.exists
    }

    /// Calls `body` with each notice of this step for the subscriber, as defined in SCENARIOS.md; not at all if nothing changed
    /// for it.
    public func forEachNotice(_ body: (_ kind: Notice.Kind, _ wasAccessible: Bool) throws -> Void) rethrows {
        if isAnother {
            try ObjectAccessChange(object: object, before: before, after: .absent, isAnother: false).forEachNotice(body)
            try ObjectAccessChange(object: object, before: .absent, after: after, isAnother: false).forEachNotice(body)
            return
        }
        let wasReadable = before.isReadable
        if before.exists, !after.exists {
            if wasReadable { try body(.deleted, true) }
            return
        }
        if after.isReadable {
            if before.isPublic != after.isPublic { try body(after.isPublic ? .madePublic : .madePrivate, wasReadable) }
            if before.isShared != after.isShared { try body(after.isShared ? .shared : .unshared, wasReadable) }
            if wasReadable, before.privileges != after.privileges { try body(.privilegesChanged, true) }
        } else if wasReadable {
            try body(.madeInaccessible, true)
        }
    }

    /// The privileges gained.
    public var gained: Privileges { after.privileges.subtracting(before.privileges) }
    /// The privileges lost.
    public var lost: Privileges { before.privileges.subtracting(after.privileges) }
}
