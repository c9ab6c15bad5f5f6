internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Explains the result of a check.
enum ExplainRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/explain", "explain", need: .store, bodyLimitBytes: 65_536,
        RouteDescription(
            "why a subject has a privilege or not: every path, with the author and time of each step", group: "Questions"
        )
        .withNote(
            "Includes changes that would allow it (grants, memberships), unless `proposals` is false. They name roles that have "
                + "access, so the caller must be allowed to query the entries of the object."
        )
        .withResponse(
            "the paths, with the event of each step", Schema.named("Explanation")
        ),
        .queued(.explainQuestion, .point) { call, asked, point in
            let (question, audience) = (try asked.allowed(to: call), try call.audience)
            return try call.read(at: point) { snapshot in
                call.answer(try [question].answers(at: snapshot, to: audience)[0], at: snapshot.revision)
            }
        })
}

/// Explains the results of several checks at one moment, such as the access of all people on a page.
enum ExplanationsRoute {
    private static let questionLimit = 100

    static let route = Route(
        "POST", "/v1/stores/{store}/explanations", "explainSeveral", need: .store, bodyLimitBytes: 262_144,
        RouteDescription("the answers to several requests of `explain`, all at the same moment", group: "Questions")
            .withNote("Fails as a whole if the caller may not ask one of the questions.")
            .withResponse(
                "an explanation for each question, in the same order",
                Schema.object(JSONObject(["explanations": Schema.list(Schema.named("Explanation"))]).with(.when))
            ),
        .queued(questions, .point) { call, asked, point in
            let (questions, audience) = (try asked.map { try $0.allowed(to: call) }, try call.audience)
            return try call.read(at: point) { snapshot in
                let answers = try questions.answers(at: snapshot, to: audience).map(JSONValue.object)
                return call.answer(
                    JSONObject(["explanations": .array(answers)]).with(snapshot.members), at: snapshot.revision)
            }
        })

    private static let questions = Argument<[ExplainQuestion]>(
        parameters: [
            .query(
                "questions", "", Schema.list(Schema.named("ExplainQuestion"), minimum: 1, maximum: questionLimit), isRequired: true)
        ]
    ) { arguments, call in
        let bodies = try arguments.list("questions") { value throws(MemberProblem) in value }
        guard 1...questionLimit ~= bodies.count else {
            throw arguments.wrong(
                "questions", "has \(bodies.count) questions", "send 1 to \(questionLimit) in one request")
        }
        return try bodies.map { try ArgumentList(.explainQuestion).read(Arguments(body: $0), call) }
    }
}

/// Asks why a subject has privileges on an object or lacks them.
struct ExplainQuestion {
    let subject: Name
    let object: Name
    /// Names of privileges and of levels of the store's history.
    fileprivate(set) var privileges: [String]
    /// Whether to search for changes that would allow a denied access.
    fileprivate var wantsProposals: Bool

    /// Returns the question with privileges instead of levels, and without proposals if the caller may not know them. Throws if the
    /// caller may not ask it.
    func allowed(to call: RequestContext) throws -> ExplainQuestion {
        try call.requirePermissionToQuery(about: subject, on: object)
        var allowed = self
        allowed.privileges = try call.store.replacingLevels(in: privileges)
        // A proposal names roles that have access. Only callers that may set permissions on the object may know those.
        allowed.wantsProposals = try wantsProposals && call.mayQuery(aboutObject: object)
        return allowed
    }

    /// Returns the changes that would allow a denied check; nil if they are not wanted or the caller may not know them.
    func proposals(for explanation: Explanation, at snapshot: Snapshot, to audience: Audience) throws -> ProposalList? {
        guard wantsProposals, !explanation.isAllowed, try snapshot.tells(audience, of: object) else { return nil }
        return try snapshot.proposals(for: explanation, to: audience)
    }
}

extension [ExplainQuestion] {
    /// Returns the explanations as JSON.
    fileprivate func answers(at snapshot: Snapshot, to audience: Audience) throws -> [JSONObject] {
        // A privilege that does not exist has an explanation too.
        let explanations = try map { try snapshot.explain($0.subject, $0.privileges, on: $0.object, for: audience) }
        let witnesses = try snapshot.witnesses(of: explanations, for: audience)
        return try indices.map { place in
            guard case .object(let members) = WitnessJSON(witnesses[place]).value else {
                throw Problem(.failed, "the explanation has no JSON form")
            }
            let proposals = try self[place].proposals(for: explanations[place], at: snapshot, to: audience)
            return members.with(proposals?.members ?? [:]).with(snapshot.members)
        }
    }
}

extension Argument<ExplainQuestion> {
    static var explainQuestion: Argument {
        Argument(.name("subject"), .name("object"), .privileges, .flag("proposals", default: true)) {
            ExplainQuestion(subject: $0, object: $1, privileges: $2, wantsProposals: $3)
        }
    }
}
