import Events
import TestSupport

@testable import MunimentClient

extension Transitions {
    private static let out: [MachineScript.Line] = [.event(.started(nil))]
    private static let taken = Answered.problem(
        409, "account-exists", ["providers": .array([.string("password")]), "link": .string("l1")])
    /// A sign-up with acme found an existing account that has a password.
    private static let collided: [MachineScript.Line] =
        out + [
            .event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil))), .event(answered(1, taken)),
        ]

    /// A sign-up by email found an existing account that uses acme.
    private static let collidedWithAcme: [MachineScript.Line] =
        out + [
            .event(asked(1, .signUp(with: email, displayName: nil, picture: nil, device: nil))),
            .event(
                answered(
                    1,
                    Answered.problem(409, "account-exists", ["providers": .array([.string("acme")]), "link": .string("l1")]))),
        ]
    private static let signInAgain = Answered.problem(401, "recent-sign-in-required", ["maxAge": .integer(60)])

    private static func signInByAcme(_ number: UInt64) -> MachineScript.Line {
        .event(asked(number, .signIn(with: openID, device: nil)))
    }

    static let signingIn = [
        Transition(
            "Signing up by a provider signs in",
            out + [.event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil)))],
            answered(1, Answered.json(201, Answered.session(1))), ["keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "Signing up by email sends a code, and nobody is signed in",
            out + [.event(asked(1, .signUp(with: email, displayName: nil, picture: nil, device: nil)))],
            answered(1, Answered.json(202, ["attempt": .string("p"), "ends": .string("2026-01-01T00:10:00Z")])), ["finish 1 code"]),
        Transition(
            "The code signs in", out + [.event(asked(1, .verify("p", "ABCD", device: nil)))],
            answered(1, Answered.json(201, Answered.session(1))), ["keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "I4 A collision says by which provider to sign in",
            out + [.event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil)))], answered(1, taken),
            ["fail 1 accountExists password"]),
        Transition(
            "I4 The sign-in by that provider links", collided, asked(2, .signIn(with: email, device: nil)),
            ["send 2 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 A sign-in by another provider does not", collided, asked(2, .signIn(with: openID, device: nil)),
            ["send 2 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 A wrong password leaves it pending",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.problem(401, "wrong-credentials"))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 What was to be linked is tried no more once it is over",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.problem(400, "wrong-code"))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 A sign-in that was refused for what was to be linked is made without it",
            collided + [.event(asked(2, .signIn(with: email, device: nil)))], answered(2, Answered.problem(400, "wrong-code")),
            ["send 2 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 And if it is refused again, its caller is told",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.problem(409, "linked-elsewhere"))),
            ], answered(2, Answered.problem(401, "wrong-credentials")), ["fail 2 wrongCredentials"]),
        Transition(
            "I4 What is good once is not shown again, and its caller is told", collidedWithAcme + [signInByAcme(2)],
            answered(2, signInAgain), ["fail 2 recentSignInRequired 60"]),
        Transition(
            "I4 And the next sign-in is made without what was to be linked",
            collidedWithAcme + [signInByAcme(2), .event(answered(2, signInAgain))],
            asked(3, .signIn(with: openID, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 The end of a session that was kept leaves pending what is to be linked",
            [
                .event(.started(kept)), .event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil))),
                .event(answered(1, taken)), .event(.answered(.refresh(1), Answered.problem(401, "session-ended"))),
            ], asked(2, .signIn(with: email, device: nil)), ["send 2 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 Whoever signs out leaves nothing to be linked for the next one",
            signedIn + [
                .event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil))), .event(answered(1, taken)),
                .event(asked(2, .signOut)), .event(answered(2, Answered.json(204, [:]))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 Once linked it is pending no more",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.json(200, Answered.session(1)))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "A sign-in while it is not determined takes the place of what was kept",
            [.event(.started(kept)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, Answered.session(1))),
            ["send farewell POST /v1/accounts/refresh with n1", "keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "A session that another takes the place of, and whose token is over, gets one to be ended with",
            signedIn + [.pass(seconds: 600), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, Answered.session(5, at: 600, name: "Bob"))),
            ["send farewell POST /v1/accounts/refresh with n5", "keep r5", "tell Bob", "finish 1 Bob"]),
        Transition(
            "And is ended with it",
            signedIn + [
                .pass(seconds: 600), .event(asked(1, .signIn(with: email, device: nil))),
                .event(answered(1, Answered.json(200, Answered.session(5, at: 600, name: "Bob")))),
            ], .answered(.farewell, Answered.json(200, Answered.session(2, at: 600))),
            ["send farewell POST /v1/account/sign-out by a2"]),
        Transition(
            "What the service says about the account is told", signedIn + [.event(asked(1, .updateProfile([:])))],
            answered(1, Answered.json(200, Answered.account("Anna"))), ["tell Anna", "finish 1 Anna"]),
        Transition(
            "What it says about the account of the session before is not",
            signedIn + [
                .event(asked(1, .reload)), .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.json(200, Answered.session(5, name: "Bob")))),
            ], answered(1, Answered.json(200, Answered.account("Anna"))), ["finish 1 Anna"]),
    ]

    /// The first two of three refreshes fail.
    private static let refusedTwice: [MachineScript.Line] = [
        .event(.answered(.refresh(1), .failure(.notSent("down")))), .event(.waited(.refresh(1))),
        .event(.answered(.refresh(1), .failure(.notSent("down")))), .event(.waited(.refresh(1))),
    ]

    static let ending = [
        Transition("Signing out tells the service first", signedIn, asked(1, .signOut), ["send 1 POST /v1/account/sign-out by a1"]),
        Transition(
            "And then nobody is signed in", signedIn + [.event(asked(1, .signOut))], answered(1, Answered.json(204, [:])),
            ["keep nothing", "tell notAuthenticated", "finish 1 done"]),
        Transition(
            "Also where the service cannot be told",
            signedIn + [
                .event(asked(1, .signOut)), .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
                .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
            ], answered(1, .failure(.notSent("down"))), ["fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "Signing out where the refresh says that it is over: signed out", stale + [.event(asked(1, .signOut))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")),
            ["keep nothing", "tell notAuthenticated", "finish 1 done"]),
        Transition(
            "Also where no new token can be had to tell the service with", stale + [.event(asked(1, .signOut))] + refusedTwice,
            .answered(.refresh(1), .failure(.notSent("down"))), ["fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "Also at the start, before the service has said who is signed in",
            [.event(.started(kept)), .event(asked(1, .signOut))] + refusedTwice, .answered(.refresh(1), .failure(.notSent("down"))),
            ["wait refresh 1 2000", "fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "And the session that was kept is asked for no more then",
            [.event(.started(kept)), .event(asked(1, .signOut))] + refusedTwice + [
                .event(.answered(.refresh(1), .failure(.notSent("down"))))
            ], .waited(.refresh(1)), []),
        Transition(
            "Whoever waits no more for the service to be told is signed out here", stale + [.event(asked(1, .signOut))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser", "keep nothing", "tell notAuthenticated"]),
        Transition("Who is not signed in is signed out already", [.event(.started(nil))], asked(1, .signOut), ["finish 1 done"]),
        Transition(
            "A deleted account is signed out, and its caller is told whose it was", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.json(204, [:])), ["keep nothing", "tell notAuthenticated", "finish 1 Ann"]),
        Transition(
            "An account that cannot be deleted is as it was", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.problem(409, "undeletable")), ["fail 1 refused 409"]),
    ]
}
