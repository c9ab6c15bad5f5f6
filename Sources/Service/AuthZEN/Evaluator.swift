internal import Events
internal import Muniment
internal import Permissions

/// What one evaluation is about, complete.
struct Question {
    let subject: EntityPart
    let action: String
    let resource: EntityPart
}

/// Answers questions about one moment, and remembers whom and what the one before was about: in a batch they are mostly the same.
struct Evaluator {
    let snapshot: Snapshot
    private let decided: AuthZEN.DecisionObserver?
    private var lastSubject: (key: EntityKey, number: PrincipalID?)?
    private var lastAction: (name: ExactText, type: ExactText, privileges: Privileges?)?
    private var lastResource: (key: EntityKey, number: ObjectID?)?

    /// - Parameters:
    ///   - snapshot: the moment.
    ///   - decided: told of each decision.
    init(_ snapshot: Snapshot, telling decided: AuthZEN.DecisionObserver?) { (self.snapshot, self.decided) = (snapshot, decided) }

    /// Whether the subject may do this to the resource. What the store does not know may not and can not be done.
    mutating func decide(_ question: Question) throws -> Bool {
        let decision = try isAllowed(question)
        decided?(decision, question, snapshot.revision)
        return decision
    }

    private mutating func isAllowed(_ question: Question) throws -> Bool {
        guard let subject = try number(ofSubject: question.subject), let resource = try number(ofResource: question.resource),
            let privileges = try privileges(of: question.action, on: question.resource.type)
        else { return false }
        return try snapshot.check(subject, privileges, on: resource)
    }

    /// Why a question is answered as it is, in a sentence.
    func reason(_ question: Question) throws -> String {
        guard let subject = question.subject.principal else {
            return "no subject of type \(question.subject.type) can be called \(question.subject.id) here"
        }
        guard let object = question.resource.object else {
            return "no resource of type \(question.resource.type) can be called \(question.resource.id) here"
        }
        guard let privileges = try snapshot.action(question.action, onClass: question.resource.type) else {
            return "\(question.action) is no privilege that the store knows, and no alias of the class \(question.resource.type)"
        }
        return try snapshot.check(subject, snapshot.names(of: privileges), on: object).explanation
    }

    private mutating func number(ofSubject subject: EntityPart) throws -> PrincipalID? {
        let key = EntityKey(subject)
        if let lastSubject, lastSubject.key == key { return lastSubject.number }
        let number = try subject.principal.flatMap { try snapshot.principalID($0) }
        lastSubject = (key, number)
        return number
    }

    private mutating func number(ofResource resource: EntityPart) throws -> ObjectID? {
        let key = EntityKey(resource)
        if let lastResource, lastResource.key == key { return lastResource.number }
        let number = try resource.object.flatMap { try snapshot.objectID($0) }
        lastResource = (key, number)
        return number
    }

    private mutating func privileges(of action: String, on type: String) throws -> Privileges? {
        let (name, type) = (ExactText(action), ExactText(type))
        if let lastAction, lastAction.name == name, lastAction.type == type { return lastAction.privileges }
        let privileges = try snapshot.action(action, onClass: type.text)
        lastAction = (name, type, privileges)
        return privileges
    }
}

/// A type and an id, equal byte for byte.
private struct EntityKey: Equatable {
    let type: ExactText
    let id: ExactText

    init(_ part: EntityPart) { (type, id) = (ExactText(part.type), ExactText(part.id)) }
}
