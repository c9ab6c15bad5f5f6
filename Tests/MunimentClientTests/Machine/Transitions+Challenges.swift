import Events
import TestSupport

@testable import MunimentClient

extension Transitions {
    /// Five minutes after the sign-in.
    private static let later: [MachineScript.Line] = signedIn + [.pass(seconds: 300)]
    /// The same, with a change that waits for the user.
    private static let challenged: [MachineScript.Line] = later + [.event(asked(1, .updateEmail(to: "new@example.com")))]
    private static let tooOld = Answered.problem(401, "recent-sign-in-required", ["maxAge": .integer(60)])

    /// The response of the service: how many seconds the sign-in is still recent, and the time limit.
    private static func recent(_ secondsLeft: Int64, of maxAge: Int64 = 300) -> AuthEvent {
        answered(1, Answered.json(200, ["secondsLeft": .integer(secondsLeft), "maxAge": .integer(maxAge)]))
    }
    /// The sign-in is recent for only 59 seconds, so the machine asks the user.
    private static let tooLittle = signedIn + [.event(asked(1, .confirmDeletion)), .event(recent(59))]

    static let confirming = [
        Transition(
            "Before a deletion the client asks the service if the sign-in is recent", signedIn, asked(1, .confirmDeletion),
            ["send 1 GET /v1/account/recent-sign-in by a1"]),
        Transition(
            "60 seconds suffice for a deletion", signedIn + [.event(asked(1, .confirmDeletion))], recent(60), ["finish 1 done"]),
        Transition(
            "With 59 seconds left, the user is challenged", signedIn + [.event(asked(1, .confirmDeletion))], recent(59),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "Half of a short time limit suffices", signedIn + [.event(asked(1, .confirmDeletion))], recent(10, of: 20),
            ["finish 1 done"]),
        Transition(
            "With less than half left, the user is challenged", signedIn + [.event(asked(1, .confirmDeletion))], recent(9, of: 20),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "If the service requires a recent sign-in, the user is challenged", signedIn + [.event(asked(1, .confirmDeletion))],
            answered(1, tooOld), ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "After the reauthentication the client asks the service again",
            tooLittle + [.event(asked(2, .reauthenticate(with: email, for: 1)))],
            answered(2, Answered.json(200, Answered.session(2))),
            ["keep r2", "finish 2 Ann", "send 1 GET /v1/account/recent-sign-in by a2"]),
        Transition(
            "If no sign-in stays recent for long enough, the deletion fails after three challenges",
            tooLittle + [
                .event(asked(2, .reauthenticate(with: email, for: 1))),
                .event(answered(2, Answered.json(200, Answered.session(2)))),
                .event(recent(59)), .event(asked(3, .reauthenticate(with: email, for: 2))),
                .event(answered(3, Answered.json(200, Answered.session(3)))), .event(recent(59)),
                .event(asked(4, .reauthenticate(with: email, for: 3))),
                .event(answered(4, Answered.json(200, Answered.session(4)))),
            ], recent(59), ["fail 1 recentSignInRequired 300"]),
        Transition(
            "A response without the seconds left confirms nothing", signedIn + [.event(asked(1, .confirmDeletion))],
            answered(1, Answered.json(200, [:])), ["fail 1 unavailable"]),
        Transition(
            "A response for an earlier session confirms nothing for the current session",
            signedIn + [
                .event(asked(1, .confirmDeletion)), .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.json(200, Answered.session(5, name: "Bob")))),
            ], recent(300), ["fail 1 sessionEnded"]),
    ]

    static let challenging = [
        Transition(
            "A sensitive change within five minutes is sent without a challenge", signedIn + [.pass(seconds: 299)],
            asked(1, .updateEmail(to: "new@example.com")),
            ["send 1 PUT /v1/account/email by a1"]),
        Transition(
            "After five minutes the user is challenged and nothing is sent; the preferred provider is listed first", later,
            asked(1, .updateEmail(to: "new@example.com")), ["challenge 1 new@example.com: password, acme"]),
        Transition(
            "Every sensitive change causes a challenge, also a deletion", later, asked(1, .confirmDeletion),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition("An ordinary change is sent at once", later, asked(1, .updateProfile([:])), ["send 1 PATCH /v1/account by a1"]),
        Transition(
            "The reauthentication is sent with the access token of the session", challenged, asked(2, .reauthenticate(with: email)),
            ["send 2 POST /v1/account/reauthenticate by a1"]),
        Transition(
            "After a successful reauthentication the change is sent automatically",
            challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "After a failed reauthentication the change still waits", challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.problem(401, "wrong-credentials")), ["fail 2 wrongCredentials"]),
        Transition(
            "After a failed and then a successful reauthentication the change is sent",
            challenged + [
                .event(asked(2, .reauthenticate(with: email))), .event(answered(2, Answered.problem(401, "wrong-credentials"))),
                .event(asked(3, .reauthenticate(with: email))),
            ],
            answered(3, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 3 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "A new sign-in that seems too old is not challenged", challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2))), ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition("If the user cancels, the change fails", challenged, .challengeCancelled(1), ["fail 1 cancelledByUser"]),
        Transition("A second cancellation is ignored", challenged + [.event(.challengeCancelled(1))], .challengeCancelled(1), []),
        Transition("Without a delegate the change fails", challenged, .challengeUnheard(1), ["fail 1 recentSignInRequired 300"]),
        Transition("A caller can cancel a challenged change", challenged, .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
        Transition(
            "A reauthentication without a challenge sends all waiting changes",
            challenged + [.event(asked(3, .updatePassword("another word"))), .event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2", "send 3 PUT /v1/account/password by a2"]),
        Transition(
            "A reauthentication for one challenge sends only the change of that challenge",
            challenged + [
                .event(asked(3, .updatePassword("another word"))), .event(asked(2, .reauthenticate(with: email, for: 2))),
            ],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 3 PUT /v1/account/password by a2"]),
        Transition(
            "I8 A reauthentication without a challenge does not send a waiting deletion",
            challenged + [.event(asked(3, .deleteAccount)), .event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "If the time limit of the service is shorter than the known one, the user is challenged",
            signedIn + [.pass(seconds: 100), .event(asked(1, .updatePassword("another word")))], answered(1, tooOld),
            ["challenge 1 a new password: password, acme"]),
        Transition(
            "The client remembers the shorter time limit of the service",
            signedIn + [
                .pass(seconds: 100), .event(asked(1, .updatePassword("another word"))), .event(answered(1, tooOld)),
            ], asked(2, .setPassword("another word")), ["challenge 2 a new password: password, acme"]),
        Transition(
            "If the service never accepts the reauthentication, the change fails after three challenges",
            signedIn + [
                .event(asked(1, .unlink("acme"))), .event(answered(1, tooOld)), .event(asked(2, .reauthenticate(with: email))),
                .event(answered(2, Answered.json(200, Answered.session(2)))), .event(answered(1, tooOld)),
                .event(asked(3, .reauthenticate(with: email))), .event(answered(3, Answered.json(200, Answered.session(3)))),
                .event(answered(1, tooOld)), .event(asked(4, .reauthenticate(with: email))),
                .event(answered(4, Answered.json(200, Answered.session(4)))),
            ], answered(1, tooOld), ["fail 1 recentSignInRequired 60"]),
        Transition(
            "A reauthentication without a session fails", [.event(.started(nil))], asked(1, .reauthenticate(with: email)),
            ["fail 1 notSignedIn"]),
        Transition(
            "After a new sign-in the waiting changes of the previous session fail",
            challenged + [.event(asked(2, .signIn(with: email, device: nil)))],
            answered(2, Answered.json(200, Answered.session(5, at: 300, name: "Bob"))),
            ["send previousSignOut POST /v1/account/sign-out by a1", "keep r5", "tell Bob", "fail 1 sessionEnded", "finish 2 Bob"]),
    ]
}
