/// The reason a command was refused: a code for programs and a message for people. Nothing was changed.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of `SCENARIOS.md`.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case notAuthenticated, noPrivilege, aboveOwnLevel, notAdministrator
        case unknownObject, unknownClass, unknownPrincipal, unknownPermission
        case alreadyExists, notThere, cycle, permanentEntry, conflict, keyReused, malformed, tooLarge, lastAdministrator
        case tooMuchWork
    }

    public let code: Code
    /// The problem, the affected name, and how to correct it.
    public let message: String
    /// The index of the refused change in the transaction, from 0; nil if the transaction as a whole was refused.
    public var change: Int?

    public init(_ code: Code, _ message: String, change: Int? = nil) {
        self.code = code
        self.message = message
        self.change = change
    }

    public var description: String {
        let place = change.map { "change \($0): " } ?? ""
        return "\(place)\(code.rawValue): \(message)"
    }
}
