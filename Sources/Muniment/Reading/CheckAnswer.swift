public import Permissions
internal import Events

/// The answer to a check, with what decided it.
public struct CheckAnswer: Hashable, Sendable {
    public let isAllowed: Bool
    public let verdict: Verdict
    /// One sentence that says why.
    public let explanation: String

    init(
        _ snapshot: Snapshot, _ verdict: Verdict, wanted: Privileges, _ subject: Name, _ privileges: [String], _ object: Name
    ) {
        isAllowed = verdict.allows(wanted)
        self.verdict = verdict
        let list = privileges.joined(separator: ", ")
        explanation =
            switch verdict.reason {
            case .administrator:
                isAllowed
                    ? "\(subject) administers the store, and nothing narrows an administrator"
                    : "the class of \(object) does not have the privilege \(list)"
            case .unknownObject: "there is no \(object) at revision \(snapshot.revision)"
            case .unknownSubject: "there is no \(subject) at revision \(snapshot.revision)"
            case .unknownPrivilege(let name): "the store knows no privilege called \(name)"
            case .levels(_, _, _, let composition):
                isAllowed
                    ? "the store level, the class level and the object part give \(subject) \(list) on \(object)"
                    : CheckAnswer.denial(verdict.decidingLevel(for: wanted), composition, subject, list, object)
            }
    }

    private static func denial(
        _ level: DecidingLevel?, _ composition: Composition, _ subject: Name, _ list: String, _ object: Name
    ) -> String {
        switch level {
        case .store: "the store level does not give \(subject) \(list)"
        case .class: "the level of the class \(object.className) does not give \(subject) \(list)"
        default:
            composition == .widening
                ? "neither the class \(object.className) nor an entry on \(object) gives \(subject) \(list)"
                : "no entry on \(object), and nothing that it inherits, gives \(subject) \(list)"
        }
    }
}
