internal import Muniment
public import Permissions

/// The level of a permission: the store for everything in it, a class for its objects, or a single object.
public enum PermissionLevel: Hashable, Sendable, CustomStringConvertible {
    case store
    /// A class by its name, without `class:`.
    case `class`(String)
    case object(Name)

    /// The object with the entries of this level.
    public var name: Name {
        switch self {
        case .store: .store
        case .class(let name): .class(name)
        case .object(let name): name
        }
    }

    public var description: String { name.text }
}
