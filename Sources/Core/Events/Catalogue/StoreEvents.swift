/// The privileges that a new store gives to everyone.
public enum Preset: UInt8, Hashable, Sendable {
    /// Only the administrator has privileges.
    case locked = 0
    /// Everyone has every privilege at the store and class levels: for prototypes.
    case open = 1
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
