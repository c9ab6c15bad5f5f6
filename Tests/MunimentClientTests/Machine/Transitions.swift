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
    static func answered(_ number: UInt64, _ outcome: Result<AuthAnswer, AuthTransportFailure>) -> AuthEvent {
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
        Transition("Nothing was kept: nobody is signed in", [], .started(nil), ["tell notAuthenticated"]),
        Transition(
            "What was kept is refreshed before anything is said, and its nonce is kept before it is sent", [], .started(kept),
            ["keep r0 with n1", "send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "A refresh whose answer was lost with the process is sent with the same nonce", [],
            .started(StoredSession(refresh: "r0", ends: kept.ends, nonce: "old")),
            ["send refresh 1 POST /v1/accounts/refresh with old"]),
        Transition(
            "What was kept and seems to be over is tried all the same: the clock here may be wrong", [.pass(seconds: 86_400)],
            .started(kept), ["keep r0 with n1", "send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "The service knows the session: signed in, with new tokens", [.event(.started(kept))],
            .answered(.refresh(1), Answered.json(200, Answered.session(1))), ["keep r1", "tell Ann"]),
        Transition(
            "The service ended it: signed out", [.event(.started(kept))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")), ["keep nothing", "tell notAuthenticated"]),
        Transition(
            "Not reached at the start: it is not determined, and tried again", [.event(.started(kept))],
            .answered(.refresh(1), .failure(.notSent("down"))), ["wait refresh 1 500"]),
        Transition(
            "After the pause the same is sent with the same nonce",
            [.event(.started(kept)), .event(.answered(.refresh(1), .failure(.noAnswer("lost"))))],
            .waited(.refresh(1)), ["send refresh 1 POST /v1/accounts/refresh with n1"]),
        Transition(
            "However often it fails at the start, it goes on; whoever waits is told",
            [
                .event(.started(kept)), .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.notSent("down")))),
                .event(.waited(.refresh(1))), .event(.answered(.refresh(1), Answered.problem(503, "unavailable"))),
                .event(.waited(.refresh(1))),
            ],
            .answered(.refresh(1), Answered.problem(503, "unavailable")), ["wait refresh 1 2000", "fail 1 unavailable"]),
        Transition(
            "A service that wants to be left alone for long is asked again then, and whoever waits is told at once",
            [.event(.started(kept)), .event(asked(1, .reload))], .answered(.refresh(1), leaveAlone),
            ["wait refresh 1 600000", "fail 1 unavailable"]),
        Transition(
            "Whoever asks meanwhile is told at once too", [.event(.started(kept)), .event(.answered(.refresh(1), leaveAlone))],
            asked(1, .reload), ["fail 1 unavailable"]),
        Transition(
            "Whoever asks when it is asked again waits for the answer",
            [.event(.started(kept)), .event(.answered(.refresh(1), leaveAlone)), .event(.waited(.refresh(1)))], asked(1, .reload),
            []),
        Transition(
            "A service without accounts is no reason to sign out", [.event(.started(kept))],
            .answered(.refresh(1), Answered.problem(404, "not-found")), ["wait refresh 1 500"]),
        Transition(
            "Who asks before it is determined waits", [.event(.started(kept))], asked(1, .reload), []),
        Transition(
            "Who asks before the start waits too, and is told when nobody is signed in", [.event(asked(1, .reload))],
            .started(nil), ["tell notAuthenticated", "fail 1 notSignedIn"]),
        Transition(
            "Who waited goes on when it is determined", [.event(.started(kept)), .event(asked(1, .reload))],
            .answered(.refresh(1), Answered.json(200, Answered.session(1))),
            ["keep r1", "tell Ann", "send 1 GET /v1/account by a1"]),
        Transition(
            "Starting again changes nothing", signedIn, .started(kept), []),
    ]

    static let refreshing = [
        Transition("A fresh token is used as it is", signedIn, asked(1, .reload), ["send 1 GET /v1/account by a1"]),
        Transition(
            "A token is renewed half a minute before its end, and not sooner", signedIn + [.pass(seconds: 569)],
            asked(1, .accessToken),
            ["finish 1 a1"]),
        Transition(
            "A token that is about to end is renewed first", stale, asked(1, .reload),
            ["keep r1 with n4", "send refresh 1 POST /v1/accounts/refresh with n4"]),
        Transition(
            "A second caller shares the refresh", stale + [.event(asked(1, .reload))], asked(2, .accessToken), []),
        Transition(
            "Both go on with the new token, in the order in which they asked",
            stale + [.event(asked(1, .reload)), .event(asked(2, .accessToken))],
            .answered(.refresh(1), Answered.json(200, Answered.session(2, at: 580))),
            ["keep r2", "send 1 GET /v1/account by a2", "finish 2 a2"]),
        Transition(
            "A clock that is ahead does not refresh for ever",
            stale + [.event(asked(1, .reload))], .answered(.refresh(1), Answered.json(200, Answered.session(2))),
            ["keep r2", "send 1 GET /v1/account by a2"]),
        Transition(
            "A token that the service does not take is renewed, whatever the clock says", signedIn + [.event(asked(1, .reload))],
            answered(1, Answered.problem(401, "unauthenticated")),
            ["keep r1 with n5", "send refresh 1 POST /v1/accounts/refresh with n5"]),
        Transition(
            "A token that was renewed meanwhile is the one to try next",
            signedIn + [
                .event(asked(1, .reload)), .event(asked(2, .reload)), .event(answered(1, Answered.problem(401, "unauthenticated"))),
                .event(.answered(.refresh(1), Answered.json(200, Answered.session(2)))),
            ],
            answered(2, Answered.problem(401, "unauthenticated")), ["send 2 GET /v1/account by a2"]),
        Transition(
            "A token is as old as it is here, whatever the clock of the service says",
            [
                .event(.started(nil)), .event(asked(100, .signIn(with: email, device: nil))),
                .event(answered(100, Answered.json(200, Answered.session(1, at: 86_400)))), .pass(seconds: 570),
            ], asked(1, .accessToken), ["keep r1 with n4", "send refresh 1 POST /v1/accounts/refresh with n4"]),
        Transition(
            "A service that wants to be left alone for a moment is, and whoever waits waits",
            stale + [.event(asked(1, .reload))],
            .answered(.refresh(1), Answered.problem(503, "unavailable", retryAfterSeconds: 4)), ["wait refresh 1 4000"]),
        Transition(
            "One that wants to be left alone for longer than the longest pause: whoever waits is told",
            stale + [.event(asked(1, .reload))], .answered(.refresh(1), leaveAlone), ["fail 1 unavailable"]),
        Transition(
            "The refresh says that the session is over: signed out, and all who wait are told",
            stale + [.event(asked(1, .reload)), .event(asked(2, .accessToken))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")),
            ["keep nothing", "tell notAuthenticated", "fail 1 sessionEnded", "fail 2 sessionEnded"]),
        Transition(
            "A refresh that does not get through signs nobody out",
            stale + [
                .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
                .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))), .event(.waited(.refresh(1))),
            ],
            .answered(.refresh(1), .failure(.noAnswer("lost"))), ["fail 1 unavailable"]),
        Transition(
            "The next one is sent with the nonce of the one that was lost",
            stale + [
                .event(asked(1, .reload)), .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
                .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))), .event(.waited(.refresh(1))),
                .event(.answered(.refresh(1), .failure(.noAnswer("lost")))),
            ],
            asked(2, .reload), ["send refresh 2 POST /v1/accounts/refresh with n4"]),
        Transition(
            "The answer to a refresh of another session is no news",
            stale + [
                .event(asked(1, .reload)), .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.json(200, Answered.session(7, at: 580)))),
            ],
            .answered(.refresh(1), Answered.problem(401, "session-ended")), []),
        Transition(
            "No refresh is sent beside a reauthentication: a refresh token is good once",
            signedIn + [
                .event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580),
            ], asked(2, .reload), []),
        Transition(
            "What waited for a reauthentication goes on with its tokens",
            signedIn + [.event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580), .event(asked(2, .reload))],
            answered(1, Answered.json(200, Answered.session(2, at: 580))),
            ["keep r2", "finish 1 Ann", "send 2 GET /v1/account by a2"]),
        Transition(
            "What waited for a reauthentication that failed gets tokens by a refresh",
            signedIn + [.event(asked(1, .reauthenticate(with: email))), .pass(seconds: 580), .event(asked(2, .reload))],
            answered(1, Answered.problem(401, "wrong-credentials")),
            ["keep r1 with n6", "send refresh 1 POST /v1/accounts/refresh with n6", "fail 1 wrongCredentials"]),
    ]

    static let repeating = [
        Transition(
            "Not reached: sent again after a pause", signedIn + [.event(asked(1, .unlink("acme")))],
            answered(1, .failure(.notSent("down"))), ["wait 1 500"]),
        Transition(
            "After the pause it is sent again",
            signedIn + [
                .event(asked(1, .unlink("acme"))), .event(answered(1, .failure(.notSent("down")))),
            ], waited(1), ["send 1 DELETE /v1/account/identities/acme by a1"]),
        Transition(
            "After three times its caller is told",
            signedIn + [
                .event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
                .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
            ], answered(1, .failure(.notSent("down"))), ["fail 1 unavailable"]),
        Transition(
            "No answer to what may be done twice: sent again", signedIn + [.event(asked(1, .updatePassword("another word")))],
            answered(1, .failure(.noAnswer("lost"))), ["wait 1 500"]),
        Transition(
            "No answer to what may not be done twice: not sent again", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, .failure(.noAnswer("lost"))), ["fail 1 outcomeUnknown"]),
        Transition(
            "A gateway that got no answer says as little", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.json(504, [:])), ["fail 1 outcomeUnknown"]),
        Transition(
            "A service that cannot do it now has not done it: sent again", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.problem(503, "unavailable", retryAfterSeconds: 2)), ["wait 1 2000"]),
        Transition(
            "But not with what is good once", [.event(.started(nil)), .event(asked(1, .signIn(with: openID, device: nil)))],
            answered(1, Answered.problem(503, "unavailable")), ["fail 1 unavailable"]),
        Transition(
            "What is good once is sent again where nothing was sent",
            [.event(.started(nil)), .event(asked(1, .signIn(with: openID, device: nil)))],
            answered(1, .failure(.notSent("down"))), ["wait 1 500"]),
        Transition(
            "Too many: sent again as late as the service says",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(429, "too-many-requests", retryAfterSeconds: 4)), ["wait 1 4000"]),
        Transition(
            "Beyond the longest pause its caller is told",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(429, "too-many-requests", retryAfterSeconds: 6)), ["fail 1 tooManyRequests 6"]),
        Transition(
            "Whoever gives up in a pause is let go",
            signedIn + [.event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down"))))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
        Transition(
            "Whoever gives up after it was sent is told what comes of it", signedIn + [.event(asked(1, .reload))],
            .givenUp(JobID(number: 1)), []),
        Transition(
            "A pause of one who is gone is no news",
            signedIn + [
                .event(asked(1, .reload)), .event(answered(1, .failure(.notSent("down")))), .event(.givenUp(JobID(number: 1))),
            ], waited(1), []),
        Transition(
            "A password that is wrong is wrong, and not sent again",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.problem(401, "wrong-credentials")), ["fail 1 wrongCredentials"]),
        Transition(
            "What is no answer of the service is none",
            [.event(.started(nil)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, [:])), ["fail 1 outcomeUnknown"]),
        Transition(
            "What the stores refuse is for the caller to see",
            signedIn + [
                .event(asked(1, .store(AuthRequest(.post, "/v1/stores/default/transactions"), isRepeatable: true)))
            ], answered(1, Answered.problem(403, "forbidden")), ["finish 1 403"]),
    ]
}
