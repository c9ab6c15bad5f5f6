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
            "Before a deletion the service is asked", signedIn, asked(1, .confirmDeletion),
            ["send 1 GET /v1/account/recent-sign-in by a1"]),
        Transition(
            "A minute is enough for a deletion", signedIn + [.event(asked(1, .confirmDeletion))], recent(60), ["finish 1 done"]),
        Transition(
            "Less is not: the person is asked", signedIn + [.event(asked(1, .confirmDeletion))], recent(59),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "Of a shorter time half is enough", signedIn + [.event(asked(1, .confirmDeletion))], recent(10, of: 20),
            ["finish 1 done"]),
        Transition(
            "And less than that is not", signedIn + [.event(asked(1, .confirmDeletion))], recent(9, of: 20),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "Too long ago for the service: the person is asked", signedIn + [.event(asked(1, .confirmDeletion))],
            answered(1, tooOld), ["challenge 1 the account with all its data: password, acme"]),
        Transition(
            "After the answer of the person the service is asked anew",
            tooLittle + [.event(asked(2, .reauthenticate(with: email, for: 1)))],
            answered(2, Answered.json(200, Answered.session(2))),
            ["keep r2", "finish 2 Ann", "send 1 GET /v1/account/recent-sign-in by a2"]),
        Transition(
            "A sign-in that is never recent for long is not asked for ever",
            tooLittle + [
                .event(asked(2, .reauthenticate(with: email, for: 1))),
                .event(answered(2, Answered.json(200, Answered.session(2)))),
                .event(recent(59)), .event(asked(3, .reauthenticate(with: email, for: 2))),
                .event(answered(3, Answered.json(200, Answered.session(3)))), .event(recent(59)),
                .event(asked(4, .reauthenticate(with: email, for: 3))),
                .event(answered(4, Answered.json(200, Answered.session(4)))),
            ], recent(59), ["fail 1 recentSignInRequired 300"]),
        Transition(
            "An answer that says nothing of it confirms nothing", signedIn + [.event(asked(1, .confirmDeletion))],
            answered(1, Answered.json(200, [:])), ["fail 1 unavailable"]),
        Transition(
            "What was asked about the one before confirms nothing for whoever is signed in now",
            signedIn + [
                .event(asked(1, .confirmDeletion)), .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.json(200, Answered.session(5, name: "Bob")))),
            ], recent(300), ["fail 1 sessionEnded"]),
    ]

    static let challenging = [
        Transition(
            "Within five minutes a sensitive change is sent", signedIn + [.pass(seconds: 299)],
            asked(1, .updateEmail(to: "new@example.com")),
            ["send 1 PUT /v1/account/email by a1"]),
        Transition(
            "After five minutes the person is asked, and nothing is sent; the first provider is the one to ask for", later,
            asked(1, .updateEmail(to: "new@example.com")), ["challenge 1 new@example.com: password, acme"]),
        Transition(
            "Every sensitive change asks: a deletion", later, asked(1, .confirmDeletion),
            ["challenge 1 the account with all its data: password, acme"]),
        Transition("What is not sensitive does not ask", later, asked(1, .updateProfile([:])), ["send 1 PATCH /v1/account by a1"]),
        Transition(
            "The answer of the person is sent in the name of the session", challenged, asked(2, .reauthenticate(with: email)),
            ["send 2 POST /v1/account/reauthenticate by a1"]),
        Transition(
            "After the right answer the change is made by itself",
            challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "After a wrong answer the change waits on", challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.problem(401, "wrong-credentials")), ["fail 2 wrongCredentials"]),
        Transition(
            "And is made after the next answer, if that is right",
            challenged + [
                .event(asked(2, .reauthenticate(with: email))), .event(answered(2, Answered.problem(401, "wrong-credentials"))),
                .event(asked(3, .reauthenticate(with: email))),
            ],
            answered(3, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 3 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "A clock that is ahead does not ask for ever", challenged + [.event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2))), ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition("The person does not want to: cancelled", challenged, .challengeCancelled(1), ["fail 1 cancelledByUser"]),
        Transition("A challenge that is over is none", challenged + [.event(.challengeCancelled(1))], .challengeCancelled(1), []),
        Transition("Nobody is there to ask", challenged, .challengeUnheard(1), ["fail 1 recentSignInRequired 300"]),
        Transition("Whoever waits for the person can give up", challenged, .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
        Transition(
            "All that wait for the person are done after one that they give of their own accord",
            challenged + [.event(asked(3, .updatePassword("another word"))), .event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2", "send 3 PUT /v1/account/password by a2"]),
        Transition(
            "An answer to one challenge makes that change, and no other one that waits",
            challenged + [
                .event(asked(3, .updatePassword("another word"))), .event(asked(2, .reauthenticate(with: email, for: 2))),
            ],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 3 PUT /v1/account/password by a2"]),
        Transition(
            "I8 An account is deleted after an answer to that very challenge, and after none that is about nothing",
            challenged + [.event(asked(3, .deleteAccount)), .event(asked(2, .reauthenticate(with: email)))],
            answered(2, Answered.json(200, Answered.session(2, at: 300))),
            ["keep r2", "finish 2 Ann", "send 1 PUT /v1/account/email by a2"]),
        Transition(
            "The service wants it sooner than is known here: the same challenge",
            signedIn + [.pass(seconds: 100), .event(asked(1, .updatePassword("another word")))], answered(1, tooOld),
            ["challenge 1 a new password: password, acme"]),
        Transition(
            "From then on it is known here",
            signedIn + [
                .pass(seconds: 100), .event(asked(1, .updatePassword("another word"))), .event(answered(1, tooOld)),
            ], asked(2, .setPassword("another word")), ["challenge 2 a new password: password, acme"]),
        Transition(
            "A service that is never content is not asked for ever",
            signedIn + [
                .event(asked(1, .unlink("acme"))), .event(answered(1, tooOld)), .event(asked(2, .reauthenticate(with: email))),
                .event(answered(2, Answered.json(200, Answered.session(2)))), .event(answered(1, tooOld)),
                .event(asked(3, .reauthenticate(with: email))), .event(answered(3, Answered.json(200, Answered.session(3)))),
                .event(answered(1, tooOld)), .event(asked(4, .reauthenticate(with: email))),
                .event(answered(4, Answered.json(200, Answered.session(4)))),
            ], answered(1, tooOld), ["fail 1 recentSignInRequired 60"]),
        Transition(
            "Reauthentication needs somebody who is signed in", [.event(.started(nil))], asked(1, .reauthenticate(with: email)),
            ["fail 1 notSignedIn"]),
        Transition(
            "A new sign-in lets no change of the one before be made",
            challenged + [.event(asked(2, .signIn(with: email, device: nil)))],
            answered(2, Answered.json(200, Answered.session(5, at: 300, name: "Bob"))),
            ["send farewell POST /v1/account/sign-out by a1", "keep r5", "tell Bob", "fail 1 sessionEnded", "finish 2 Bob"]),
    ]
}
