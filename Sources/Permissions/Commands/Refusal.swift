/// Why a command was not carried out: a code for programs and a sentence for people. Nothing was changed.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of `SCENARIOS.md`.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case notAuthenticated, noPrivilege, aboveOwnLevel, notAdministrator
        case unknownObject, unknownClass, unknownPrincipal, unknownPermission
        case alreadyExists, notThere, cycle, permanentEntry, conflict, keyReused, malformed, tooLarge, lastAdministrator
        case tooMuchWork
    }

    public let code: Code
    /// What is wrong, with which thing, and what to do about it.
    public let message: String
    /// Which change of the transaction was refused, from 0; nil where it was the transaction as a whole.
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
