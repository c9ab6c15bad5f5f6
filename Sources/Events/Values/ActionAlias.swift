/// A name that a class gives to privileges of its own, as the application that asks calls them: `can_read_todo` for `read`.
///
/// Names are equal byte for byte, as all names are.
public struct ActionAlias: Hashable, Sendable {
    public var name: String { exactName.text }
    /// What somebody must have in full to be allowed the action.
    public let privileges: Privileges
    private let exactName: ExactText

    public init(_ name: String, for privileges: Privileges) {
        exactName = ExactText(name)
        self.privileges = privileges
    }

    /// The order of the names' UTF-8 bytes.
    package static func precedes(_ left: ActionAlias, _ right: ActionAlias) -> Bool { left.exactName < right.exactName }

    /// Whether this is the alias of a name.
    package func isCalled(_ name: String) -> Bool { exactName == ExactText(name) }
}
