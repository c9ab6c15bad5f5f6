/// The privileges that a new store gives to everyone.
public enum Preset: UInt8, Hashable, Sendable {
    /// Only the administrator has privileges.
    case locked = 0
    /// Everyone has every privilege at the store and class levels: for prototypes.
    case open = 1
}

/// The store was created. Always the first event, at revision 0.
public struct StoreCreated: Hashable, Sendable {
    public var preset: Preset

    public init(preset: Preset) { self.preset = preset }
}

/// A class was defined.
public struct ClassDefined: Hashable, Sendable {
    public var classID: Introduction<ClassID>
    public var options: ClassOptions
    /// Custom privileges that are new to the store; they take the next free bits in this order.
    public var newPrivileges: [String]

    public init(classID: Introduction<ClassID>, options: ClassOptions, newPrivileges: [String] = []) {
        self.classID = classID
        self.options = options
        self.newPrivileges = newPrivileges
    }
}

/// The options of a class were replaced.
public struct ClassChanged: Hashable, Sendable {
    public var classID: ClassID
    public var options: ClassOptions
    /// Custom privileges that are new to the store; they take the next free bits in this order.
    public var newPrivileges: [String]

    public init(classID: ClassID, options: ClassOptions, newPrivileges: [String] = []) {
        self.classID = classID
        self.options = options
        self.newPrivileges = newPrivileges
    }
}

/// A principal became an administrator of the store.
public struct AdministratorAppointed: Hashable, Sendable {
    public var principal: PrincipalID

    public init(principal: PrincipalID) { self.principal = principal }
}

/// An administrator of the store was dismissed.
public struct AdministratorDismissed: Hashable, Sendable {
    public var principal: PrincipalID

    public init(principal: PrincipalID) { self.principal = principal }
}

/// The machine's clock was ahead when earlier commits were made, and was then corrected. The time of this commit may be before
/// theirs. Each earlier commit with a later time counts as made at the time of this one.
public struct ClockCorrected: Hashable, Sendable {
    public init() {}
}
