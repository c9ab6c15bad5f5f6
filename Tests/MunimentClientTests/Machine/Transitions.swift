import Events
import TestSupport

@testable import MunimentClient

/// The table of the state machine: all groups of rows in order.
enum Transitions {
    static let all = starting + refreshing + repeating + losing + challenging + confirming + signingIn + ending

    // Values for the rows.
    static let email = EmailIdentityProvider(email: "ann@example.com", password: "secret word")
    static let openID = OpenIDIdentityProvider(providerID: "acme", evidence: ["code": .string("c")])
    static let kept = StoredSession(refresh: "r0", ends: Instant.newYear.later(seconds: 86_400))

    static func asked(_ number: UInt64, _ job: AuthJob) -> AuthEvent { .asked(JobID(number: number), job) }
    static func answered(_ number: UInt64, _ outcome: Result<ServiceResponse, TransportError>) -> AuthEvent {
        .answered(.job(JobID(number: number)), outcome)
    }
    static func waited(_ number: UInt64) -> AuthEvent { .waited(.job(JobID(number: number))) }

    /// Ann signed in at the start of the test. Her session has the tokens with number 1.
    static let signedIn: [MachineScript.Line] = [
        .event(.started(nil)), .event(asked(100, .signIn(with: email, device: nil))),
        .event(answered(100, Answered.json(200, Answered.session(1)))),
    ]
    /// The same, shortly before the access token expires.
    static let stale: [MachineScript.Line] = signedIn + [.pass(seconds: 580)]

    static let leaveAlone = Answered.problem(503, "unavailable", retryAfterSeconds: 600)

    static let starting = [
        Transition("Without a stored session no user is signed in", [], .started(nil), ["tell notAuthenticated"]),
        Transition(
            "A stored session is refreshed before a state is reported; the nonce is stored first", [], .started(kept),
            ["keep r0 with n1", "send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "A refresh that the previous process did not complete is sent with the same nonce", [],
            .started(StoredSession(refresh: "r0", ends: kept.ends, nonce: "old")),
            ["send refresh 1 POST /v1/accounts/refresh with old"]),
        Transition(
            "A stored session that seems expired is refreshed: the local clock may be wrong", [.pass(seconds: 86_400)],
            .started(kept), ["keep r0 with n1", "send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "If the service accepts the stored session, the user is signed in with new tokens", [.event(.started(kept))],
            .answered(.refresh(1), Answered.json(200, Answered.session(1))), ["keep r1", "tell Ann"]),
        Transition(
            "If the service has ended the stored session, the user is signed out", [.event(.started(kept))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")), ["keep nothing", "tell notAuthenticated"]),
        Transition(
            "Without a connection the state stays undetermined, and the refresh is repeated", [.event(.started(kept))],
            .answered(.refresh(1), .failure(.notSent("down"))), ["wait refresh 1 500"]),
        Transition(
            "After the delay the same refresh is sent with the same nonce",
            [.event(.started(kept)), .event(.answered(.refresh(1), .failure(.noAnswer("lost"))))],
            .waited(.refresh(1)), ["send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "At the start the refresh is repeated without limit, but waiting callers get the error",
            [
                .event(.started(kept)), .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.notSent("down")))),
                .event(.waited(.refresh(1))), .event(.answered(.refresh(1), Answered.problem(503, "unavailable"))),
                .event(.waited(.refresh(1))),
            ],
            .answered(.refresh(1), Answered.problem(503, "unavailable")), ["wait refresh 1 2000", "fail 1 unavailable"]),
        Transition(
            "At the start a long Retry-After delays the next refresh, and waiting callers get the error at once",
            [.event(.started(kept)), .event(asked(1, .reload))], .answered(.refresh(1), leaveAlone),
            ["wait refresh 1 600000", "fail 1 unavailable"]),
        Transition(
            "A caller in that delay gets the error at once", [.event(.started(kept)), .event(.answered(.refresh(1), leaveAlone))],
            asked(1, .reload), ["fail 1 unavailable"]),
        Transition(
            "A caller after that delay waits for the response",
            [.event(.started(kept)), .event(.answered(.refresh(1), leaveAlone)), .event(.waited(.refresh(1)))], asked(1, .reload),
            []),
        Transition(
            "A 404 response at the start does not sign the user out", [.event(.started(kept))],
            .answered(.refresh(1), Answered.problem(404, "not-found")), ["wait refresh 1 500"]),
        Transition(
            "A caller waits until the state is determined", [.event(.started(kept))], asked(1, .reload), []),
        Transition(
            "A caller before the start waits, and gets an error if no user is signed in", [.event(asked(1, .reload))],
            .started(nil), ["tell notAuthenticated", "fail 1 notSignedIn"]),
        Transition(
            "A waiting request is sent when the state is determined", [.event(.started(kept)), .event(asked(1, .reload))],
            .answered(.refresh(1), Answered.json(200, Answered.session(1))),
            ["keep r1", "tell Ann", "send 1 GET /v1/account by a1"]),
        Transition(
            "Starting again changes nothing", signedIn, .started(kept), []),
    ]

    static let refreshing = [
        Transition("A fresh token is used without a refresh", signedIn, asked(1, .reload), ["send 1 GET /v1/account by a1"]),
        Transition(
            "A token is not refreshed earlier than 30 seconds before it expires", signedIn + [.pass(seconds: 569)],
            asked(1, .accessToken),
            ["finish 1 a1"]),
        Transition(
            "A token that is about to expire is refreshed before the request", stale, asked(1, .reload),
            ["keep r1 with n4", "send refresh 1 POST /v1/accounts/refresh with n4"]),
        Transition(
            "A second caller shares the refresh", stale + [.event(asked(1, .reload))], asked(2, .accessToken), []),
        Transition(
            "After the refresh both callers get the new token, in the order of their calls",
            stale + [.event(asked(1, .reload)), .event(asked(2, .accessToken))],
            .answered(.refresh(1), Answered.json(200, Answered.session(2, at: 580))),
            ["keep r2", "send 1 GET /v1/account by a2", "finish 2 a2"]),
        Transition(
            "A new token that already seems expired is used without another refresh",
            stale + [.event(asked(1, .reload))], .answered(.refresh(1), Answered.json(200, Answered.session(2))),
            ["keep r2", "send 1 GET /v1/account by a2"]),
        Transition(
            "A rejected token is refreshed, even if it does not seem expired", signedIn + [.event(asked(1, .reload))],
            answered(1, Answered.problem(401, "unauthenticated")),
            ["keep r1 with n5", "send refresh 1 POST /v1/accounts/refresh with n5"]),
        Transition(
            "A request with a rejected token is sent again if the token was refreshed meanwhile",
            signedIn + [
                .event(asked(1, .reload)), .event(asked(2, .reload)), .event(answered(1, Answered.problem(401, "unauthenticated"))),
                .event(.answered(.refresh(1), Answered.json(200, Answered.session(2)))),
            ],
            answered(2, Answered.problem(401, "unauthenticated")), ["send 2 GET /v1/account by a2"]),
        Transition(
            "The local clock measures the age of a token, not the clock of the service",
            [
                .event(.started(nil)), .event(asked(100, .signIn(with: email, device: nil))),
                .event(answered(100, Answered.json(200, Answered.session(1, at: 86_400)))), .pass(seconds: 570),
            ], asked(1, .accessToken), ["keep r1 with n4", "send refresh 1 POST /v1/accounts/refresh with n4"]),
        Transition(
            "After a short Retry-After the refresh is repeated, and its callers keep waiting",
            stale + [.event(asked(1, .reload))],
            .answered(.refresh(1), Answered.problem(503, "unavailable", retryAfterSeconds: 4)), ["wait refresh 1 4000"]),
        Transition(
            "If the Retry-After of a refresh exceeds the longest delay, its callers get the error",
            stale + [.event(asked(1, .reload))], .answered(.refresh(1), leaveAlone), ["fail 1 unavailable"]),
        Transition(
            "If a refresh finds that the session has ended, the user is signed out and all its callers get the error",
            stale + [.event(asked(1, .reload)), .event(asked(2, .accessToken))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")),
            ["keep nothing", "tell notAuthenticated", "fail 1 sessionEnded", "fail 2 sessionEnded"]),
        Transition(
            "A refresh without a response does not sign the user out",
            stale + [
                .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
                .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))), .event(.waited(.refresh(1))),
            ],
            .answered(.refresh(1), .failure(.noAnswer("lost"))), ["fail 1 unavailable"]),
        Transition(
            "The refresh after a lost refresh is sent with the same nonce",
            stale + [
                .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
                .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))), .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
            ],
            asked(2, .reload), ["send refresh 2 POST /v1/accounts/refresh with n4"]),
        Transition(
            "The response to a refresh of an earlier session is ignored",
            stale + [
                .event(asked(1, .reload)), .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.json(200, Answered.session(7, at: 580)))),
            ],
            .answered(.refresh(1), Answered.problem(401, "session-ended")), []),
        Transition(
            "No refresh is sent during a reauthentication, because a refresh token can be used only once",
            signedIn + [
                .event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580),
            ], asked(2, .reload), []),
        Transition(
            "A request that waited for a reauthentication is sent with the new tokens",
            signedIn + [.event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580), .event(asked(2, .reload))],
            answered(1, Answered.json(200, Answered.session(2, at: 580))),
            ["keep r2", "finish 1 Ann", "send 2 GET /v1/account by a2"]),
        Transition(
            "If the reauthentication fails, a refresh gets the tokens for the waiting request",
            signedIn + [.event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580), .event(asked(2, .reload))],
            answered(1, Answered.problem(401, "wrong-credentials")),
            ["keep r1 with n6", "send refresh 1 POST /v1/accounts/refresh with n6", "fail 1 wrongCredentials"]),
    ]

    static let repeating = [
        Transition(
            "A request that was not sent is sent again after a delay", signedIn + [.event(asked(1, .unlink("acme")))],
            answered(1, .failure(.notSent("down"))), ["wait 1 500"]),
        Transition(
            "The request is sent again when the delay ends",
            signedIn + [
                .event(asked(1, .unlink("acme"))), .event(answered(1, .failure(.notSent("down")))),
            ], waited(1), ["send 1 DELETE /v1/account/identities/acme by a1"]),
        Transition(
            "After three attempts the caller gets the error",
            signedIn + [
                .event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
                .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
            ], answered(1, .failure(.notSent("down"))), ["fail 1 unavailable"]),
        Transition(
            "A repeatable request without a response is sent again", signedIn + [.event(asked(1, .updatePassword("another word")))],
            answered(1, .failure(.noAnswer("lost"))), ["wait 1 500"]),
        Transition(
            "A request that is not repeatable is not sent again without a response", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, .failure(.noAnswer("lost"))), ["fail 1 outcomeUnknown"]),
        Transition(
            "A 504 response of a gateway leaves the outcome unknown", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.json(504, [:])), ["fail 1 outcomeUnknown"]),
        Transition(
            "A request is sent again after a 503: it was not processed", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.problem(503, "unavailable", retryAfterSeconds: 2)), ["wait 1 2000"]),
        Transition(
            "Single-use evidence: no retry on 503", [.event(.started(nil)), .event(asked(1, .signIn(with: openID, device: nil)))],
            answered(1, Answered.problem(503, "unavailable")), ["fail 1 unavailable"]),
        Transition(
            "Single-use evidence is sent again if it did not reach the service",
            [.event(.started(nil)), .event(asked(1, .signIn(with: openID, device: nil)))],
            answered(1, .failure(.notSent("down"))), ["wait 1 500"]),
        Transition(
            "After a 429 response the request is sent again when the Retry-After ends",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(429, "too-many-requests", retryAfterSeconds: 4)), ["wait 1 4000"]),
        Transition(
            "If the Retry-After of a 429 response exceeds the longest delay, the caller gets the error",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(429, "too-many-requests", retryAfterSeconds: 6)), ["fail 1 tooManyRequests 6"]),
        Transition(
            "A caller can cancel a request during a delay",
            signedIn + [.event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down"))))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
        Transition(
            "A caller that cancels a sent request still waits for its outcome", signedIn + [.event(asked(1, .reload))],
            .givenUp(JobID(number: 1)), []),
        Transition(
            "The end of a delay is ignored if the caller has cancelled",
            signedIn + [
                .event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down")))), .event(.givenUp(JobID(number: 1))),
            ], waited(1), []),
        Transition(
            "A wrong password is not sent again",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(401, "wrong-credentials")), ["fail 1 wrongCredentials"]),
        Transition(
            "A 200 response without a session leaves the outcome unknown",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, [:])), ["fail 1 outcomeUnknown"]),
        Transition(
            "The caller gets an error response of the stores unchanged",
            signedIn + [
                .event(asked(1, .store(AuthRequest(.post, "/v1/stores/default/transactions"), isRepeatable: true)))
            ], answered(1, Answered.problem(403, "forbidden")), ["finish 1 403"]),
    ]
}
