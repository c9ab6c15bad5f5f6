import Events
public import Muniment
import Permissions
public import TestSupport

extension Store {
    /// Returns the store's answer in the form that the naive model uses.
    public func answer(_ question: Question, at point: Point) throws -> Answer {
        try read(at: Moment(point)) { snapshot in
            do {
                return try snapshot.answer(question)
            } catch let refusal as Refusal {
                return .refused(refusal.code)
            }
        }
    }
}

extension Moment {
    package init(_ point: Point) {
        self =
            switch point {
            case .head: .now
            case .revision(let revision): .revision(revision)
            case .moment(let instant): .time(instant)
            }
    }
}

extension Snapshot {
    fileprivate func answer(_ question: Question) throws -> Answer {
        switch question {
        case .check(let subject, let wanted, let object): .verdict(try check(subject, wanted, on: object).isAllowed)
        case .privileges(let subject, let object): .privileges(try privileges(of: subject, on: object))
        case .subjects(let wanted, let object): .names(try subjects(with: wanted, on: object).map { Name($0) })
        case .objects(let subject, let wanted, let className):
            .names(try objects(for: subject, with: wanted, class: className).map { Name($0) })
        case .entries(let object): .entries(try entries(on: object).map(EntryRow.init))
        case .members(let role): .names(try members(of: role).map { Name($0) })
        case .value(let object, let caller): .value(try value(of: object, as: caller))
        case .list(let className, let conditions, let caller):
            .names(
                try list(class: className, where: conditions.map { try Condition(json: $0) }, as: caller).map { Name($0) })
        }
    }
}

extension JSONValue {
    fileprivate var members: JSONObject { if case .object(let members) = self { members } else { [:] } }
}

extension EntryRow {
    fileprivate init(_ entry: EntryDescription) {
        self.init(
            subject: Name(entry.subject), privileges: entry.privileges, until: entry.until, isPermanent: entry.isPermanent,
            permission: entry.permission.map { Name("permission:" + $0) })
    }
}
