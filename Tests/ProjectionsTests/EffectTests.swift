import Events
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("The effect of a commit before it is kept")
struct EffectTests {
    private let doc = ClassID(rawValue: 17)
    private let one = ObjectID(rawValue: 18)
    private let ann = PrincipalID(rawValue: 19)

    private func hasEffect(_ events: [Event]) throws -> Bool {
        try withTemporaryFolder { folder in
            let index = try Index(path: folder, isReadOnly: false, mapBytes: 1 << 28)
            defer { index.close() }
            let workingSet = try index.workingSet()
            defer { workingSet.end() }
            let made = [.storeCreated(.open), .docClass(doc), .object(one, in: doc), Event.user(ann)]
            let first = made + [.granted(.read, on: one, to: ann)]
            try workingSet.fold(Commit(revision: .genesis, time: .newYear, actor: .system, events: first))
            workingSet.begin(Revision(1), actor: .system)
            defer { workingSet.rollBack() }
            for event in events { try workingSet.apply(event) }
            return workingSet.hasEffect
        }
    }

    @Test("A change has an effect")
    func change() throws {
        #expect(try hasEffect([.granted(.update, on: one, to: ann)]))
        #expect(try hasEffect([.revoked(.read, on: one, from: ann)]))
        #expect(try hasEffect([.objectDeleted(one)]))
    }

    @Test("A change that the same commit reverts has no effect, and neither has no change")
    func reverted() throws {
        #expect(try !hasEffect([]))
        #expect(try !hasEffect([.granted(.read, on: one, to: ann)]))
        #expect(try !hasEffect([.granted(.update, on: one, to: ann), .revoked(.update, on: one, from: ann)]))
        #expect(try !hasEffect([.revoked(.read, on: one, from: ann), .granted(.read, on: one, to: ann)]))
        #expect(try !hasEffect([.granted(.read, on: one, to: .everyone), .revoked(.all, on: one, from: .everyone)]))
    }

    @Test("A reverted change beside a lasting one has an effect")
    func both() throws {
        let reverted: [Event] = [.granted(.update, on: one, to: ann), .revoked(.update, on: one, from: ann)]
        #expect(try hasEffect(reverted + [.granted(.read, on: one, to: .everyone)]))
    }
}
