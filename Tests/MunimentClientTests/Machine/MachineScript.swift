import Events
import Permissions
import TestSupport

@testable import MunimentClient

/// A state machine driven line by line. It returns each effect as a short text, so that a table row is easy to read.
struct MachineScript {
    private(set) var machine: AuthMachine
    private var now = Instant.newYear
    private var nonces = 0

    init(policy: RetryPolicy = RetryPolicy(attempts: 3, firstMilliseconds: 500, longestMilliseconds: 5_000)) {
        machine = AuthMachine(policy: policy)
    }

    /// Sends an event to the machine. Returns its effects as text.
    mutating func tell(_ event: AuthEvent) -> [String] {
        nonces += 1
        return machine.handle(event, at: now, nonce: "n\(nonces)").map(MachineScript.words)
    }

    /// Advances the clock without an event.
    mutating func pass(seconds: Int64) { now = now.later(seconds: seconds) }

    /// An event, or time that passes before the next event.
    enum Line: Sendable {
        case event(AuthEvent)
        case pass(seconds: Int64)
    }

    mutating func tell(_ lines: [Line]) -> [String] {
        var last: [String] = []
        for line in lines {
            switch line {
            case .event(let event): last = tell(event)
            case .pass(let seconds): pass(seconds: seconds)
            }
        }
        return last
    }

    private static func words(_ effect: AuthEffect) -> String {
        switch effect {
        case .keep(nil): "keep nothing"
        case .keep(let kept?): "keep \(kept.refresh)" + (kept.nonce.map { " with \($0)" } ?? "")
        case .tell(.notDetermined): "tell notDetermined"
        case .tell(.notAuthenticated): "tell notAuthenticated"
        case .tell(.authenticated(let user)): "tell \(user.displayName ?? user.principal.text)"
        case .send(let sender, let request):
            "send \(words(sender)) \(request)" + (request.accessToken.map { " by \($0)" } ?? "")
                + (request.body?.text("nonce").map { " with \($0)" } ?? "")
                + (request.body?.text("link").map { " linking \($0)" } ?? "")
        case .wait(let sender, let milliseconds): "wait \(words(sender)) \(milliseconds)"
        case .challenge(let challenge, let providers):
            "challenge \(challenge.id) \(challenge.context.profileChangeType.attemptedValue): "
                + providers.map(\.providerID.text).joined(separator: ", ")
        case .finish(let id, .success(let value)): "finish \(id.number) \(words(value))"
        case .finish(let id, .failure(let error)): "fail \(id.number) \(words(error))"
        }
    }

    private static func words(_ sender: AuthSender) -> String {
        switch sender {
        case .job(let id): "\(id.number)"
        case .refresh(let number): "refresh \(number)"
        case .formerSignOut: "previousSignOut"
        }
    }

    private static func words(_ value: AuthValue) -> String {
        switch value {
        case .user(let user): user.displayName ?? user.principal.text
        case .sentCode: "code"
        case .object: "object"
        case .answer(let answer): "\(answer.status)"
        case .accessToken(let token): token
        case .nothing: "done"
        }
    }

    /// Returns the name of a case without its associated values.
    private static func words(_ error: AuthError) -> String {
        switch error {
        case .accountExists(let providers): "accountExists \(providers.map(\.text).joined(separator: ", "))"
        case .tooManyRequests(let seconds): "tooManyRequests \(seconds)"
        case .recentSignInRequired(let seconds): "recentSignInRequired \(seconds)"
        case .unavailable: "unavailable"
        case .outcomeUnknown: "outcomeUnknown"
        case .refused(let status, _, _): "refused \(status)"
        case .cancelledByUser: "cancelledByUser"
        case .notSignedIn: "notSignedIn"
        case .sessionEnded: "sessionEnded"
        case .wrongCredentials: "wrongCredentials"
        default: "\(error)"
        }
    }
}

/// Responses of the service, for the tables.
enum Answered {
    static func json(_ status: Int, _ members: JSONObject, retryAfterSeconds: Int? = nil) -> Result<
        ServiceResponse, TransportError
    > {
        let body = (try? JSONText.encode(.object(members))) ?? []
        let headers = retryAfterSeconds.map { ["retry-after": "\($0)"] } ?? [:]
        return .success(ServiceResponse(status: status, headers: headers, body: body))
    }

    static func problem(
        _ status: Int, _ kind: String, _ further: JSONObject = [:], retryAfterSeconds: Int? = nil
    ) -> Result<ServiceResponse, TransportError> {
        var members: JSONObject = [
            "type": .string("/problems/" + kind), "status": .integer(Int64(status)), "detail": .string("why"),
        ]
        for (name, value) in further { members[name] = value }
        return json(status, members, retryAfterSeconds: retryAfterSeconds)
    }

    static func account(_ name: String = "Ann") -> JSONObject {
        let identity = { (provider: String, priority: Int64) -> JSONValue in
            .object([
                "provider": .string(provider), "label": .string("ann@example.com"), "linkedAt": .string("\(Instant.newYear)"),
                "priority": .integer(priority),
            ])
        }
        return [
            "principal": .string("user:a"), "email": .string("ann@example.com"), "displayName": .string(name), "picture": .null,
            "createdAt": .string("\(Instant.newYear)"), "identities": .array([identity("acme", 20), identity("password", 10)]),
        ]
    }

    /// Returns a session with numbered tokens that begins the given number of seconds after the start of the test.
    static func session(_ number: Int, at seconds: Int64 = 0, signedIn: Int64? = nil, name: String = "Ann") -> JSONObject {
        [
            "accessToken": .string("a\(number)"),
            "accessTokenExpiresAt": .string("\(Instant.newYear.later(seconds: seconds + 600))"),
            "refreshToken": .string("r\(number)"), "accessTokenSeconds": .integer(600),
            "refreshTokenExpiresAt": .string("\(Instant.newYear.later(seconds: seconds + 86_400))"),
            "sessionID": .integer(1), "authenticatedAt": .string("\(Instant.newYear.later(seconds: signedIn ?? seconds))"),
            "isNew": .bool(false), "account": .object(account(name)),
        ]
    }
}
