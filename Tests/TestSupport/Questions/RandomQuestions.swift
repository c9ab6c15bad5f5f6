public import Events
internal import Permissions
public import RandomHistories

/// Queries about a history.
extension RandomHistory {
    public mutating func question() -> Question {
        let subject = asker()
        let object = object()
        return switch random.number(0...99) {
        case 0..<28: .check(subject, wanted(), on: anything(object))
        case 28..<43: .privileges(subject, on: anything(object))
        case 43..<54: .subjects(with: wanted(), on: anything(object))
        case 54..<66:
            .objects(for: subject, with: wanted(), className: random.chance(percent: 40) ? object.className : nil)
        case 66..<76: .entries(on: anything(object))
        case 76..<82: .members(of: random.one(of: vocabulary.roles))
        case 82..<88: .value(of: object, as: authenticatedOrNot(subject))
        default:
            .list(
                className: random.chance(percent: 95) ? object.className : random.one(of: ["role", "absent"]),
                where: conditions(), as: authenticatedOrNot(subject))
        }
    }

    /// Returns a query whether a caller has access, for an explanation.
    public mutating func checkQuestion() -> (subject: Name, privileges: [String], object: Name) {
        // Half of the queries are about access that the caller probably has.
        if random.chance(percent: 50) {
            let (subject, object) = entry()
            return (random.chance(percent: 50) ? subject : asker(), wanted(), random.chance(percent: 50) ? object : self.object())
        }
        return (asker(), wanted(), anything(object()))
    }

    /// Returns a point in the history so far: the head, any revision, or any time, including times before the first revision.
    public mutating func point(upTo head: Revision) -> Point {
        switch random.number(0...9) {
        case 0..<3: return .head
        case 3..<8: return .revision(Revision(UInt64(random.number(0...Int(head.rawValue)))))
        default:
            let span = Int(now.microseconds - start.microseconds)
            return .moment(start.advanced(byMicroseconds: Int64(random.number(-1_000_000...max(span, 1)))))
        }
    }

    private mutating func asker() -> Name {
        switch random.number(0...99) {
        case 0..<65: random.one(of: vocabulary.users)
        case 65..<75: random.one(of: vocabulary.unregisteredUsers + vocabulary.things)
        case 75..<82: .anonymous
        case 82..<86: .everyone
        case 86..<92: administrator
        case 92..<98: random.one(of: vocabulary.roles)
        default: "user:never-seen"
        }
    }

    /// Returns the caller, or `anonymous` if the name cannot call.
    private func authenticatedOrNot(_ name: Name) -> Name {
        name.className == "user" || name.className == "thing" ? name : .anonymous
    }

    private mutating func anything(_ object: Name) -> Name { random.chance(percent: 75) ? object : target() }

    private mutating func wanted() -> [String] {
        let everyday = ["read", "update", "delete", "query"]
        return switch random.number(0...19) {
        case 0..<15: [random.one(of: everyday)]
        case 15..<17: random.some(2...3, of: everyday)
        case 17..<19: [random.one(of: Privileges.builtInNames + vocabulary.customPrivileges)]
        default: ["nosuch"]
        }
    }

    private mutating func conditions() -> JSONValue? {
        switch random.number(0...7) {
        case 0..<3: nil
        case 3: .object(["n": number()])
        case 4: .object(["n": .object([random.one(of: ["<", "<=", ">", ">="]): number()])])
        case 5: .object(["n": .object([">=": .integer(2), "<": .integer(7)]), "s": letter()])
        case 6: .object(["s": .object([random.one(of: ["<", ">="]): letter()])])
        default: .object(["s": random.one(of: [.null, .integer(5), .object(["<": .integer(5)])])])
        }
    }
}
