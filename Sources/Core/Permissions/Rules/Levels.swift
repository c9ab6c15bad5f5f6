public import Events

/// The three levels that must each give a privilege, the highest first.
public enum DecidingLevel: String, Hashable, Sendable, CaseIterable {
    case store, `class`, object
}

/// The privileges of the three levels, and how they combine.
@frozen public struct Levels: Hashable, Sendable {
    public var store: Privileges
    public var classLevel: Privileges
    /// The object part: the object's entries, and the privileges inherited from its parents through the masks.
    public var object: Privileges
    public var composition: Composition

    @inlinable public init(store: Privileges, classLevel: Privileges, object: Privileges, composition: Composition) {
        self.store = store
        self.classLevel = classLevel
        self.object = object
        self.composition = composition
    }

    /// The privileges that the levels give together.
    @inlinable public var combined: Privileges {
        let lower = composition == .narrowing ? classLevel.intersection(object) : classLevel.union(object)
        return store.givenAsStoreLevel.intersection(lower)
    }

    /// The levels of an object that a link makes readable.
    @inlinable var withLink: Levels {
        Levels(store: store, classLevel: classLevel, object: object.union(.read), composition: composition)
    }

    /// Returns the wanted privileges that a level lacks. For a widening class, the class level and the object part lack the
    /// privileges that neither gives.
    public func missing(_ wanted: Privileges, at level: DecidingLevel) -> Privileges {
        switch (level, composition) {
        case (.store, _): wanted.neededAtStoreLevel.subtracting(store)
        case (.class, .narrowing): wanted.subtracting(classLevel)
        case (.object, .narrowing): wanted.subtracting(object)
        case (_, .widening): wanted.subtracting(classLevel.union(object))
        }
    }

    /// Returns the highest level that denies some of the wanted privileges by itself; the object if none does. In a widening
    /// class, the class level alone denies nothing.
    func deciding(_ wanted: Privileges) -> DecidingLevel {
        if !missing(wanted, at: .store).isEmpty { return .store }
        return composition == .narrowing && !missing(wanted, at: .class).isEmpty ? .class : .object
    }
}

extension Privileges {
    /// The privileges that the store level gives. Without `update` the store is read-only for the caller.
    @inlinable var givenAsStoreLevel: Privileges {
        contains(.update) ? self : subtracting([.create, .update, .delete])
    }

    /// The privileges that the store level must have, so that it gives these.
    @inlinable var neededAtStoreLevel: Privileges { isDisjoint(with: [.create, .delete]) ? self : union(.update) }
}
