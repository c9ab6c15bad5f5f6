/// A class's name for a set of privileges, used by the querying application: `can_read_todo` for `read`.
///
/// Names are compared byte for byte, like all names.
public struct ActionAlias: Hashable, Sendable {
    public var name: String { exactName.text }
    /// The privileges that the action requires, all of them.
    public let privileges: Privileges
    private let exactName: ExactText

    public init(_ name: String, for privileges: Privileges) {
        exactName = ExactText(name)
        self.privileges = privileges
    }

    /// Orders aliases by the UTF-8 bytes of their names.
    package static func precedes(_ left: ActionAlias, _ right: ActionAlias) -> Bool { left.exactName < right.exactName }

    /// Whether this alias has the given name.
    package func isCalled(_ name: String) -> Bool { exactName == ExactText(name) }
}
