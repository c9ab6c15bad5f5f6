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

    @Test("No more than 1,000 callers wait at the same time; one more is told so at once")
    func jobLimit() {
        var script = MachineScript()
        for number in 1...UInt64(AuthMachine.jobLimit) {
            #expect(script.tell(.asked(JobID(number: number), .accessToken)) == [])
        }
        #expect(script.tell(.asked(JobID(number: 5_000), .accessToken)) == ["fail 5000 unavailable"])
    }
}
