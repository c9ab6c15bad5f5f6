import Events
import TestSupport
import Testing

@testable import MunimentClient

/// One row: what happened before, what happens, and what the machine wants then.
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
    @Test("I1 I4 I7 What happens leads to what the table says", arguments: Transitions.all)
    func transition(row: Transition) {
        var script = MachineScript()
        _ = script.tell(row.before)
        #expect(script.tell(row.event) == row.effects)
    }

    @Test("The table has rows for starting, refreshing, repeating, challenging, linking and ending")
    func tableIsWhole() {
        #expect(Transitions.all.count > 50)
        #expect(Set(Transitions.all.map(\.name)).count == Transitions.all.count)
    }

    @Test("The end of a session that was kept leaves the codes of whoever signs up meanwhile, and none of its own")
    func codesOfOthers() {
        var script = MachineScript()
        let code = Answered.json(202, ["attempt": .string("p"), "ends": .string("2026-01-01T00:10:00Z")])
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

    @Test("No more than 1,000 callers wait at the same time; one more is told so at once")
    func jobLimit() {
        var script = MachineScript()
        for number in 1...UInt64(AuthMachine.jobLimit) {
            #expect(script.tell(.asked(JobID(number: number), .accessToken)) == [])
        }
        #expect(script.tell(.asked(JobID(number: 5_000), .accessToken)) == ["fail 5000 unavailable"])
    }
}
