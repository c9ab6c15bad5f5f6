internal import Events
internal import Muniment
internal import Permissions

/// What one evaluation is about, complete.
struct Question {
    let subject: EntityPart
    let action: ActionPart
    let resource: EntityPart
}

/// Answers questions about one moment, and remembers whom and what the one before was about: in a batch they are mostly the same.
struct Evaluator {
    let snapshot: Snapshot
    private let decided: AuthZEN.DecisionObserver?
    private var lastSubject: (part: EntityPart, number: PrincipalID?)?
    private var lastAction: (part: ActionPart, type: ExactText, privileges: Privileges?)?
    private var lastResource: (part: EntityPart, number: ObjectID?)?
    /// How the decisions about this moment begin.
    private lazy var permission = "{\"decision\":true,\"context\":{\"revision\":\(snapshot.revision.rawValue)"
    private lazy var denial = "{\"decision\":false,\"context\":{\"revision\":\(snapshot.revision.rawValue)"

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
            let privileges = try privileges(for: question.action, on: question.resource.type)
        else { return false }
        return try snapshot.check(subject, privileges, on: resource)
    }

    /// Why a question is answered as it is, in a sentence.
    ///
    /// - Parameter audience: who is told.
    func reason(_ question: Question, for audience: () throws -> Audience) throws -> String {
        guard let subject = question.subject.principal else {
            return "no subject of type \(question.subject.type) can be called \(question.subject.id) here"
        }
        guard let object = question.resource.object else {
            return "no resource of type \(question.resource.type) can be called \(question.resource.id) here"
        }
        guard let privileges = try snapshot.action(question.action.name, onClass: question.resource.type) else {
            return
                "\(question.action.name) is no privilege that the store knows, and no alias of the class \(question.resource.type)"
        }
        return try snapshot.check(subject, snapshot.names(of: privileges), on: object, for: audience).explanation
    }

    /// The beginning of an answer, up to the revision that it is about.
    mutating func beginning(of decision: Bool) -> String { decision ? permission : denial }

    private mutating func number(ofSubject subject: EntityPart) throws -> PrincipalID? {
        if let lastSubject, lastSubject.part.isSame(as: subject) { return lastSubject.number }
        let number = try subject.principal.flatMap { try snapshot.principalID($0) }
        lastSubject = (subject, number)
        return number
    }

    private mutating func number(ofResource resource: EntityPart) throws -> ObjectID? {
        if let lastResource, lastResource.part.isSame(as: resource) { return lastResource.number }
        let number = try resource.object.flatMap { try snapshot.objectID($0) }
        lastResource = (resource, number)
        return number
    }

    private mutating func privileges(for action: ActionPart, on type: String) throws -> Privileges? {
        if let lastAction, lastAction.part.isSame(as: action), lastAction.type == ExactText(type) { return lastAction.privileges }
        let privileges = try snapshot.action(action.name, onClass: type)
        lastAction = (action, ExactText(type), privileges)
        return privileges
    }
}

extension EntityPart {
    /// Whether another part means the same: it is the same default, or has the same bytes.
    fileprivate func isSame(as other: EntityPart) -> Bool {
        self === other || ExactText(id) == ExactText(other.id) && ExactText(type) == ExactText(other.type)
    }
}

extension ActionPart {
    fileprivate func isSame(as other: ActionPart) -> Bool { self === other || ExactText(name) == ExactText(other.name) }
}
