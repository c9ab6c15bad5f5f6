internal import Events
public import Permissions

/// The answer to a check, with the reason.
public struct CheckResult: Hashable, Sendable {
    public var isAllowed: Bool { verdict.allows(Privileges(wanted)) }
    public internal(set) var verdict: Verdict
    /// Each privilege in the question, in the order of their names.
    let wanted: [Privileges]
    let subject: Name
    let privileges: [String]
    let object: Name
    let revision: Revision

    /// The same denial as if the object had never existed. A denial because of the subject or a privilege is unchanged.
    var withoutObject: CheckResult {
        switch verdict.reason {
        case .administrator, .levels: break
        case .unknownObject, .unknownSubject, .unknownPrivilege: return self
        }
        var result = self
        result.verdict = Verdict(effective: [], reason: .unknownObject)
        return result
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
