internal import Events
public import Permissions

/// The answer to a check, with the reason.
public struct CheckResult: Hashable, Sendable {
    public let isAllowed: Bool
    public let verdict: Verdict
    /// Each privilege in the question, in the order of their names.
    private let wanted: [Privileges]
    private let subject: Name
    private let privileges: [String]
    private let object: Name
    private let revision: Revision

    init(
        _ verdict: Verdict, wanted: [Privileges], _ subject: Name, _ privileges: [String], _ object: Name, at revision: Revision
    ) {
        isAllowed = verdict.allows(Privileges(wanted))
        self.verdict = verdict
        self.wanted = wanted
        self.subject = subject
        self.privileges = privileges
        self.object = object
        self.revision = revision
    }

    /// The same denial as if the object had never existed. A denial because of the subject or a privilege is unchanged.
    var withoutObject: CheckResult {
        switch verdict.reason {
        case .administrator, .levels: break
        case .unknownObject, .unknownSubject, .unknownPrivilege: return self
        }
        return CheckResult(
            Verdict(effective: [], reason: .unknownObject), wanted: wanted, subject, privileges, object, at: revision)
    }

    /// One sentence that says why.
    public var explanation: String {
        let list = privileges.joined(separator: ", ")
        return switch verdict.reason {
        case .administrator:
            isAllowed
                ? "\(subject) administers the store, and an administrator has all privileges"
                : "the class of \(object) does not have the privilege \(list)"
        case .unknownObject: "\(object) does not exist at revision \(revision)"
        case .unknownSubject: "\(subject) does not exist at revision \(revision)"
        case .unknownPrivilege(let name): "the store has no privilege \(name)"
        case .levels(let levels):
            isAllowed
                ? "the store level\(levels.composition == .widening ? ", and the class level or" : ", the class level and") "
                    + "the object level give \(subject) \(list) on \(object)"
                : CheckResult.denial(verdict.decidingLevel(for: Privileges(wanted)), levels.composition, subject, missing, object)
        }
    }

    /// The missing privileges, by name.
    private var missing: String {
        zip(privileges, wanted).filter { !verdict.allows($1) }.map(\.0).joined(separator: ", ")
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
                : "no entry on \(object), direct or inherited, gives \(subject) \(list)"
        }
    }
}
