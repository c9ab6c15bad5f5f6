import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Aliases of a class's actions")
struct AliasTests {
    private func refused(_ fixture: StoreFixture, _ settings: ClassSettings) throws -> Refusal.Code? {
        try fixture.refusal(.changeClass("doc", settings))?.code
    }

    @Test("An alias is a new word for privileges that the store knows, and any other alias is refused without a change")
    func refusals() throws {
        try withStore { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(privileges: ["sign"], aliases: [.init("see", for: ["read"])])),
                .defineClass("box", ClassSettings(privileges: ["stamp"])))
            let head = try fixture.head
            let cases: [([ClassSettings.Alias], Refusal.Code)] = [
                ([.init("read", for: ["update"])], .malformed), ([.init("sign", for: ["read"])], .malformed),
                ([.init("a", for: [])], .malformed), ([.init("a", for: ["fly"])], .malformed),
                ([.init("", for: ["read"])], .malformed),
                ([.init("a\u{1}", for: ["read"])], .malformed),
                ([.init("a", for: ["read"]), .init("a", for: ["update"])], .malformed),
                ([.init(String(repeating: "a", count: Limits.symbolBytes + 1), for: ["read"])], .tooLarge),
                ((0...Limits.aliasesPerClass).map { .init("a\($0)", for: ["read"]) }, .tooLarge),
            ]
            for (aliases, code) in cases { #expect(try refused(fixture, ClassSettings(aliases: aliases)) == code, "\(aliases)") }
            // A privilege that is added later cannot use the word of an alias either.
            #expect(try refused(fixture, ClassSettings(privileges: ["see"])) == .malformed)
            #expect(try fixture.head == head)
            let good: [ClassSettings.Alias] = [
                .init("stamp", for: ["sign"]), .init("é", for: ["read"]), .init("e\u{301}", for: ["update"]),
                .init(String(repeating: "a", count: Limits.symbolBytes), for: ["read", "stamp"]),
            ]
            #expect(try refused(fixture, ClassSettings(aliases: good)) == nil)
            #expect(
                try refused(fixture, ClassSettings(aliases: (0..<Limits.aliasesPerClass).map { .init("a\($0)", for: ["read"]) }))
                    == nil)
        }
    }

    @Test("Aliases are replaced as a whole, stay when other settings change, and survive an index rebuild and a restart")
    func keeping() throws {
        try withStore { fixture in
            let aliases = [ActionAlias("do", for: [.read, .update]), ActionAlias("see", for: .read)]
            try fixture.commit(
                .defineClass("doc", ClassSettings(aliases: [.init("see", for: ["read"]), .init("do", for: ["update", "read"])])))
            try fixture.commit(.changeClass("doc", ClassSettings(composition: .widening)))
            #expect(try lastOptions(fixture)?.aliases == aliases)
            let defined = try fixture.head
            #expect(
                try fixture.commit(
                    .changeClass(
                        "doc", ClassSettings(aliases: [.init("see", for: ["read"]), .init("do", for: ["read", "update"])]))
                ).revision == nil)
            try fixture.commit(.changeClass("doc", ClassSettings(aliases: [])))
            #expect(try lastOptions(fixture)?.aliases == [])
            for again in [{ try fixture.reopen() }, { try fixture.reopenWithoutIndex() }] {
                try again()
                let then = try fixture.store.read(at: .revision(defined)) { try $0.action("do", onClass: "doc") }
                #expect(then == [.read, .update])
                #expect(try fixture.store.read { try $0.action("do", onClass: "doc") } == nil)
            }
        }
    }

    @Test("An action that was asked about before has its new meaning right after the commit, and its old meaning in the past")
    func asking() throws {
        try withStore { fixture in
            func privileges(_ action: String, at moment: Moment = .now) throws -> Privileges? {
                try fixture.store.read(at: moment) { try $0.action(action, onClass: "doc") }
            }
            for _ in 0..<2 { #expect(try [privileges("see"), privileges("read"), privileges("sign")] == [nil, .read, nil]) }
            let unknown = try fixture.head
            try fixture.commit(.defineClass("doc", ClassSettings(privileges: ["sign"], aliases: [.init("see", for: ["read"])])))
            for _ in 0..<2 { #expect(try privileges("see") == .read) }
            #expect(try privileges("sign") != nil)
            let known = try fixture.head
            try fixture.commit(.changeClass("doc", ClassSettings(aliases: [.init("see", for: ["update"])])))
            for _ in 0..<2 {
                #expect(try privileges("see") == .update)
                #expect(try privileges("see", at: .revision(known)) == .read)
                #expect(try privileges("see", at: .revision(unknown)) == nil)
            }
            let long = String(repeating: "a", count: 300)
            for _ in 0..<2 { #expect(try privileges(long) == nil) }
        }
    }

    private func lastOptions(_ fixture: StoreFixture) throws -> ClassOptions? {
        for event in try fixture.commits().flatMap(\.events).reversed() {
            switch event {
            case .classDefined(let event): return event.options
            case .classChanged(let event): return event.options
            default: continue
            }
        }
        return nil
    }
}
