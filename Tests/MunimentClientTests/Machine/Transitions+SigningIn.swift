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
            "A sign-up with a provider signs the user in",
            out + [.event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil)))],
            answered(1, Answered.json(201, Answered.session(1))), ["keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "A sign-up by email sends a code, and does not sign the user in",
            out + [.event(asked(1, .signUp(with: email, displayName: nil, picture: nil, device: nil)))],
            answered(1, Answered.json(202, ["attempt": .string("p"), "expiresAt": .string("2026-01-01T00:10:00Z")])),
            ["finish 1 code"]),
        Transition(
            "The code signs the user in", out + [.event(asked(1, .verify("p", "ABCD", device: nil)))],
            answered(1, Answered.json(201, Answered.session(1))), ["keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "I4 A sign-up for an existing account fails with the providers of the account",
            out + [.event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil)))], answered(1, taken),
            ["fail 1 accountExists password"]),
        Transition(
            "I4 A sign-in with one of these providers sends the link", collided, asked(2, .signIn(with: email, device: nil)),
            ["send 2 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 A sign-in with another provider does not send the link", collided, asked(2, .signIn(with: openID, device: nil)),
            ["send 2 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 After a wrong password the link is still pending",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))),
                .event(answered(2, Answered.problem(401, "wrong-credentials"))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 After the service has rejected the link, the next sign-in does not send it",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.problem(400, "wrong-code"))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 A sign-in that is rejected because of its link is sent again without the link",
            collided + [.event(asked(2, .signIn(with: email, device: nil)))], answered(2, Answered.problem(400, "wrong-code")),
            ["send 2 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 If the sign-in without the link is rejected too, its caller gets the error",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.problem(409, "linked-elsewhere"))),
            ], answered(2, Answered.problem(401, "wrong-credentials")), ["fail 2 wrongCredentials"]),
        Transition(
            "I4 If a link with single-use evidence is rejected, the caller gets the error", collidedWithAcme + [signInByAcme(2)],
            answered(2, signInAgain), ["fail 2 recentSignInRequired 60"]),
        Transition(
            "I4 After a rejected link with single-use evidence, the next sign-in does not send the link",
            collidedWithAcme + [signInByAcme(2), .event(answered(2, signInAgain))],
            asked(3, .signIn(with: openID, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 If the stored session ends, the link is still pending",
            [
                .event(.started(kept)), .event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil))),
                .event(answered(1, taken)), .event(.answered(.refresh(1), Answered.problem(401, "session-ended"))),
            ], asked(2, .signIn(with: email, device: nil)), ["send 2 POST /v1/accounts/sign-in linking l1"]),
        Transition(
            "I4 A sign-out drops the pending link",
            signedIn + [
                .event(asked(1, .signUp(with: openID, displayName: nil, picture: nil, device: nil))), .event(answered(1, taken)),
                .event(asked(2, .signOut)), .event(answered(2, Answered.json(204, [:]))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "I4 After a successful link, the next sign-in does not send it",
            collided + [
                .event(asked(2, .signIn(with: email, device: nil))), .event(answered(2, Answered.json(200, Answered.session(1)))),
            ], asked(3, .signIn(with: email, device: nil)), ["send 3 POST /v1/accounts/sign-in"]),
        Transition(
            "A sign-in before the state is determined replaces the stored session",
            [.event(.started(kept)), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, Answered.session(1))),
            ["send previousSignOut POST /v1/accounts/refresh with n1", "keep r1", "tell Ann", "finish 1 Ann"]),
        Transition(
            "If the access token of a replaced session has expired, it is refreshed for the sign-out",
            signedIn + [.pass(seconds: 600), .event(asked(1, .signIn(with: email, device: nil)))],
            answered(1, Answered.json(200, Answered.session(5, at: 600, name: "Bob"))),
            ["send previousSignOut POST /v1/accounts/refresh with n5", "keep r5", "tell Bob", "finish 1 Bob"]),
        Transition(
            "The replaced session is ended with the refreshed token",
            signedIn + [
                .pass(seconds: 600), .event(asked(1, .signIn(with: email, device: nil))),
                .event(answered(1, Answered.json(200, Answered.session(5, at: 600, name: "Bob")))),
            ], .answered(.formerSignOut, Answered.json(200, Answered.session(2, at: 600))),
            ["send previousSignOut POST /v1/account/sign-out by a2"]),
        Transition(
            "New account data from the service is reported", signedIn + [.event(asked(1, .updateProfile([:])))],
            answered(1, Answered.json(200, Answered.account("Anna"))), ["tell Anna", "finish 1 Anna"]),
        Transition(
            "Account data of an earlier session goes to the caller only, and is not reported",
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
        Transition("A sign-out is sent to the service", signedIn, asked(1, .signOut), ["send 1 POST /v1/account/sign-out by a1"]),
        Transition(
            "Its response signs the user out", signedIn + [.event(asked(1, .signOut))], answered(1, Answered.json(204, [:])),
            ["keep nothing", "tell notAuthenticated", "finish 1 done"]),
        Transition(
            "A sign-out that does not reach the service fails, but signs the user out",
            signedIn + [
                .event(asked(1, .signOut)), .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
                .event(answered(1, .failure(.notSent("down")))), .event(waited(1)),
            ], answered(1, .failure(.notSent("down"))), ["fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "A sign-out succeeds if its refresh finds that the session has ended", stale + [.event(asked(1, .signOut))],
            .answered(.refresh(1), Answered.problem(401, "session-ended")),
            ["keep nothing", "tell notAuthenticated", "finish 1 done"]),
        Transition(
            "A sign-out that gets no new token fails, but signs the user out", stale + [.event(asked(1, .signOut))] + refusedTwice,
            .answered(.refresh(1), .failure(.notSent("down"))), ["fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "A sign-out that fails before the state is determined signs the user out",
            [.event(.started(kept)), .event(asked(1, .signOut))] + refusedTwice, .answered(.refresh(1), .failure(.notSent("down"))),
            ["wait refresh 1 2000", "fail 1 unavailable", "keep nothing", "tell notAuthenticated"]),
        Transition(
            "After that sign-out the stored session is not refreshed again",
            [.event(.started(kept)), .event(asked(1, .signOut))] + refusedTwice + [
                .event(.answered(.refresh(1), .failure(.notSent("down"))))
            ], .waited(.refresh(1)), []),
        Transition(
            "A sign-out that its caller cancels signs the user out", stale + [.event(asked(1, .signOut))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser", "keep nothing", "tell notAuthenticated"]),
        Transition("A sign-out without a session succeeds at once", [.event(.started(nil))], asked(1, .signOut), ["finish 1 done"]),
        Transition(
            "A deletion signs the user out, and its caller gets the deleted user", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.json(204, [:])), ["keep nothing", "tell notAuthenticated", "finish 1 Ann"]),
        Transition(
            "If an account cannot be deleted, its user stays signed in", signedIn + [.event(asked(1, .deleteAccount))],
            answered(1, Answered.problem(409, "undeletable")), ["fail 1 refused 409"]),
    ]
}
