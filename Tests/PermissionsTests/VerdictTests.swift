import Events
import Permissions
import Testing

@Suite("Verdicts contain their reason")
struct VerdictTests {
    private static func levels(
        _ store: Privileges, _ classLevel: Privileges, _ object: Privileges, _ composition: Composition = .narrowing
    ) -> Verdict {
        let lower = composition == .narrowing ? classLevel.intersection(object) : classLevel.union(object)
        let all = store.intersection(lower)
        return Verdict(
            effective: store.contains(.update) ? all : all.subtracting([.create, .update, .delete]),
            reason: .levels(Levels(store: store, classLevel: classLevel, object: object, composition: composition)))
    }

    private static let table: [(verdict: Verdict, wanted: Privileges, level: DecidingLevel?)] = [
        (levels(.all, .all, .read), .read, nil),
        (levels(.all, .all, []), .read, .object),
        (levels(.all, [], .read), .read, .class),
        (levels([], .read, .read), .read, .store),
        (levels([], [], []), .read, .store),
        (levels(.all, [], []), .read, .class),
        (levels(.all, .read, .update), [.read, .update], .class),
        // A store level without update denies create, update and delete by itself.
        (levels(.delete, .all, .all), .delete, .store),
        (levels([.delete, .update], .all, .all), .delete, nil),
        // In a widening class, neither level denies access alone.
        (levels(.all, [], [], .widening), .read, .object),
        (levels(.all, .read, [], .widening), .read, nil),
        (levels(.all, .read, .update, .widening), [.read, .update], nil),
        (Verdict(effective: [], reason: .administrator), .custom(5), nil),
        (Verdict(effective: [], reason: .unknownObject), .read, nil),
        (Verdict(effective: [], reason: .unknownPrivilege("fly")), .read, nil),
    ]

    @Test("E11: a denial names the highest level with a missing privilege", arguments: table)
    func decidingLevel(verdict: Verdict, wanted: Privileges, level: DecidingLevel?) {
        #expect(verdict.decidingLevel(for: wanted) == level)
    }

    @Test("An empty request allows nothing, and every requested privilege must be present")
    func allows() {
        let verdict = Verdict(effective: [.read, .update], reason: .administrator)
        #expect(verdict.allows(.read))
        #expect(verdict.allows([.read, .update]))
        #expect(!verdict.allows([.read, .delete]))
        #expect(!verdict.allows([]))
        #expect(!verdict.allows(.all))
    }
}
