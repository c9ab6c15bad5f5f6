internal import Events
internal import Muniment
internal import Permissions

/// The complete input of one evaluation.
struct EvaluationRequest {
    let subject: EntityPart
    let action: ActionPart
    let resource: EntityPart
}

/// Answers questions about one moment. Caches the subject and the resource of the previous question, because a batch often repeats
/// them.
struct Evaluator {
    private let store: Store
    let snapshot: Snapshot
    private let decided: AuthZEN.DecisionObserver?
    private var lastSubject: (part: EntityPart, number: PrincipalID?)?
    private var lastAction: (part: ActionPart, type: ExactText, privileges: Privileges?)?
    private var lastResource: (part: EntityPart, number: ObjectID?)?
    /// The named sets of the store, once a question needed them: a batch reads their file once.
    private var levels: [AccessLevel]??
    /// The first bytes of the decisions at this moment, with a context.
    private lazy var permission = bytes(of: "{\"decision\":true,\"context\":{\"revision\":")
    private lazy var denial = bytes(of: "{\"decision\":false,\"context\":{\"revision\":")

    /// - Parameters:
    ///   - authZEN: the store, and the observer of decisions.
    ///   - snapshot: the moment.
    init(_ authZEN: AuthZEN, _ snapshot: Snapshot) {
        (store, decided, self.snapshot) = (authZEN.store, authZEN.decided, snapshot)
    }

    /// Decides whether the subject may perform the action on the resource, writes the response, and returns the decision. It is
    /// false if the store does not know one of them.
    ///
    /// - Parameters:
    ///   - hasContext: whether the response has a context, with the revision.
    ///   - audience: who reads the reason in the context; nil for a response without a reason.
    mutating func answer(
        _ question: EvaluationRequest, hasContext: Bool = true, reasonFor audience: (() throws -> Audience)?,
        into writer: inout JSONWriter
    ) throws -> Bool {
        let decision = try isAllowed(question)
        decided?(decision, question, snapshot.revision)
        guard hasContext else {
            writer.raw(decision ? "{\"decision\":true}" : "{\"decision\":false}")
            return decision
        }
        writer.raw(decision ? permission : denial)
        if let audience {
            writer.raw(",\"reason\":")
            writer.write(try reason(question, for: audience))
        }
        writer.raw("}}")
        return decision
    }

    /// Returns a text and the revision behind it.
    private func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        bytes += text.utf8
        bytes += String(snapshot.revision.rawValue).utf8
        return bytes
    }

    private mutating func isAllowed(_ question: EvaluationRequest) throws -> Bool {
        guard let subject = try number(ofSubject: question.subject), let resource = try number(ofResource: question.resource),
            let privileges = try privileges(for: question.action, on: question.resource.type)
        else { return false }
        return try snapshot.check(subject, privileges, on: resource)
    }

    /// Returns the reason of a decision in a sentence.
    ///
    /// - Parameter audience: who reads the reason.
    private mutating func reason(_ question: EvaluationRequest, for audience: () throws -> Audience) throws -> String {
        guard let subject = question.subject.principal else {
            return "\(question.subject.id) is not a valid id for a subject of type \(question.subject.givenType)"
        }
        guard let object = question.resource.object else {
            return "\(question.resource.id) is not a valid id for a resource of type \(question.resource.type)"
        }
        guard let privileges = try privileges(for: question.action, on: question.resource.type) else {
            let (action, className) = (question.action.name, question.resource.type)
            return "\(action) is neither a privilege nor a named set of the store, nor an alias of the class \(className)"
        }
        return try snapshot.check(subject, snapshot.names(privileges), on: object, for: audience).explanation
    }

    private mutating func number(ofSubject subject: EntityPart) throws -> PrincipalID? {
        if let lastSubject, lastSubject.part.isSame(as: subject) { return lastSubject.number }
        let number = try subject.principalID(in: snapshot)
        lastSubject = (subject, number)
        return number
    }

    private mutating func number(ofResource resource: EntityPart) throws -> ObjectID? {
        if let lastResource, lastResource.part.isSame(as: resource) { return lastResource.number }
        let number = try resource.objectID(in: snapshot)
        lastResource = (resource, number)
        return number
    }

    private mutating func privileges(for action: ActionPart, on type: String) throws -> Privileges? {
        if let lastAction, lastAction.part.isSame(as: action), lastAction.type == ExactText(type) { return lastAction.privileges }
        let (snapshot, store) = (snapshot, store)
        let privileges = try snapshot.action(action.name, onClass: type) {
            if let levels { return levels }
            let read = try store.levels
            levels = .some(read)
            return read
        }
        lastAction = (action, ExactText(type), privileges)
        return privileges
    }
}

extension EntityPart {
    /// Returns the number of the principal; nil if it cannot have access.
    fileprivate func principalID(in snapshot: Snapshot) throws -> PrincipalID? {
        // The store knows only well-formed names, so the form is checked only if it does not know the name.
        if type == "user" || type == "thing", let known = try snapshot.objectID(name) { return PrincipalID(known) }
        return try principal.flatMap { try snapshot.principalID($0) }
    }

    /// Returns the number of the object; nil if the store never had it.
    fileprivate func objectID(in snapshot: Snapshot) throws -> ObjectID? {
        guard type != "store", !isTypeAmbiguous else { return try object.flatMap { try snapshot.objectID($0) } }
        return try snapshot.objectID(name)
    }

    /// Returns whether another part is equal: the same default, or the same bytes.
    fileprivate func isSame(as other: EntityPart) -> Bool {
        self === other || ExactText(id) == ExactText(other.id) && ExactText(type) == ExactText(other.type)
    }
}

extension ActionPart {
    fileprivate func isSame(as other: ActionPart) -> Bool { self === other || ExactText(name) == ExactText(other.name) }
}
