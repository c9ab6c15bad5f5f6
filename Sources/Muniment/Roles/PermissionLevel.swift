public import Permissions

/// Where permissions stand: the store decides for everything in it, a class for its objects, an object for itself.
public enum PermissionLevel: Hashable, Sendable, CustomStringConvertible {
    case store
    /// A class by its name, without `class:`.
    case `class`(String)
    case object(Name)

    /// The object whose entries are this level.
    public var name: Name {
        switch self {
        case .store: .store
        case .class(let name): .class(name)
        case .object(let name): name
        }
    }

    public var description: String { name.text }
}
