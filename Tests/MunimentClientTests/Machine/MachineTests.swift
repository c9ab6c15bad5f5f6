import Events
import TestSupport
import Testing

@testable import MunimentClient

/// One row: the events before, the event, and the expected effects.
struct Transition: Sendable, CustomTestStringConvertible {
    let name: String
    let before: [MachineScript.Line]
    let event: AuthEvent
    let effects: [String]

    init(_ name: String, _ before: [MachineScript.Line], _ event: AuthEvent, _ effects: [String]) {
        self.name = name
        self.before = before
        self.event = event
        self.effects = effects
    }

    var testDescription: String { name }
}

@Suite("The state machine of the client")
struct MachineTests {
    @Test("I1 I4 I7 Each event has the effects that the table lists", arguments: Transitions.all)
    func transition(row: Transition) {
        var script = MachineScript()
        _ = script.tell(row.before)
        #expect(script.tell(row.event) == row.effects)
    }

    @Test("The table has more than 50 rows, and each row has a unique name")
    func tableIsWhole() {
        #expect(Transitions.all.count > 50)
        #expect(Set(Transitions.all.map(\.name)).count == Transitions.all.count)
    }

    @Test("The end of a stored session deletes its own codes and keeps the code of a sign-up in progress")
    func codesOfOthers() {
        var script = MachineScript()
        let code = Answered.json(202, ["attempt": .string("p"), "expiresAt": .string("2026-01-01T00:10:00Z")])
        _ = script.tell([
            .event(.started(Transitions.kept)),
            .event(Transitions.asked(1, .signUp(with: Transitions.email, displayName: nil, picture: nil, device: nil))),
            .event(Transitions.answered(1, code)),
        ])
        let ended = Answered.problem(401, "session-ended")
        #expect(script.tell(.answered(.refresh(1), ended)) == ["keep nothing", "tell notAuthenticated"])
        #expect(script.machine.sentCodes[.signUp] != nil)
        _ = script.tell([
            .event(Transitions.asked(2, .signIn(with: Transitions.email, device: nil))),
            .event(Transitions.answered(2, Answered.json(200, Answered.session(1)))),
            .event(Transitions.asked(3, .updateEmail(to: "new@example.com"))), .event(Transitions.answered(3, code)),
            .event(Transitions.asked(4, .signOut)),
        ])
        #expect(script.machine.sentCodes[.email] != nil)
        _ = script.tell(Transitions.answered(4, Answered.json(204, [:])))
        #expect(script.machine.sentCodes[.email] == nil)
    }

    @Test("At most 1,000 callers wait at the same time; one more caller fails at once")
    func jobLimit() {
        var script = MachineScript()
        for number in 1...UInt64(AuthMachine.jobLimit) {
            #expect(script.tell(.asked(JobID(number: number), .accessToken)) == [])
        }
        #expect(script.tell(.asked(JobID(number: 5_000), .accessToken)) == ["fail 5000 unavailable"])
    }
}
