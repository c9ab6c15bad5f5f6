import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Observing: the kinds of changes", .timeLimit(.minutes(60)))
struct ObservedKindsTests {
    /// Creates a class, and `doc:1` with a value that `user:ann` may read.
    private func prepare(_ fixture: StoreFixture, _ value: JSONValue?) throws {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .createObject("doc:1", value: value),
            .grant("user:ann", on: "doc:1", ["read"]))
    }

    private func kinds(
        from before: JSONValue?, to contents: [JSONValue], at path: JSONPath = []
    ) async throws -> [[ObservedChange.Kind]] {
        var steps: [[ObservedChange.Kind]] = []
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, before)
            let observed = try await fixture.observed("doc:1", at: path) {
                for content in contents { try fixture.commit(.writeObject("doc:1", .value(content))) }
            }
            #expect(observed.end == .objectDeleted(at: try fixture.head))
            steps = observed.steps.map(\.kinds)
        }
        return steps
    }

    @Test("F14: added, changed and removed children are delivered by name, followed by the change of the value")
    func children() async throws {
        let before: JSONValue = .object(["b": .integer(1), "c": .integer(2), "d": .integer(3)])
        let after: JSONValue = .object(["a": .bool(true), "b": .integer(5), "d": .integer(3)])
        let steps = try await kinds(from: before, to: [after])
        #expect(
            steps == [
                [
                    .childAdded(name: "a", value: .bool(true)),
                    .childChanged(name: "b", before: .integer(1), after: .integer(5)),
                    .childRemoved(name: "c", before: .integer(2)), .valueChanged(before: before, after: after),
                ]
            ])
    }

    @Test("F14: an observer of a path inside the object gets only changes at that path, at any depth")
    func nested() async throws {
        func value(_ city: String?, _ other: Int64) -> JSONValue {
            .object(["home": .object(["address": .object(city.map { ["city": .string($0)] } ?? [:])]), "other": .integer(other)])
        }
        let values = [value("Bonn", 2), value("Kiel", 2), value(nil, 3), value("Ulm", 4)]
        #expect(
            try await kinds(from: value("Bonn", 1), to: values, at: "home/address/city") == [
                [.valueChanged(before: .string("Bonn"), after: .string("Kiel"))],
                [.valueChanged(before: .string("Kiel"), after: nil)],
                [.valueChanged(before: nil, after: .string("Ulm"))],
            ])
        let children = try await kinds(from: value("Bonn", 1), to: values, at: "/home//address/").map { $0.dropLast() }
        #expect(
            children == [
                [.childChanged(name: "city", before: .string("Bonn"), after: .string("Kiel"))],
                [.childRemoved(name: "city", before: .string("Kiel"))], [.childAdded(name: "city", value: .string("Ulm"))],
            ])
        #expect(try await kinds(from: value("Bonn", 1), to: values, at: "home/garden/trees").isEmpty)
        #expect(try await kinds(from: value("Bonn", 1), to: values, at: "other/deeper").isEmpty)
    }

    @Test("F14: a name that contains a slash can be observed as one part of a path")
    func slashes() async throws {
        let steps = try await kinds(
            from: .object(["a/b": .integer(1)]), to: [.object(["a/b": .integer(2)])], at: JSONPath(["a/b"]))
        #expect(steps == [[.valueChanged(before: .integer(1), after: .integer(2))]])
    }

    @Test("F14: array elements are children named by their indexes, in numeric order")
    func arrays() async throws {
        let long = (0..<12).map { JSONValue.integer(Int64($0)) }
        let steps = try await kinds(from: .object(["list": .array([])]), to: [.object(["list": .array(long)])], at: "list")
        let added = (0..<12).map { ObservedChange.Kind.childAdded(name: String($0), value: .integer(Int64($0))) }
        #expect(steps == [added + [.valueChanged(before: .array([]), after: .array(long))]])
        #expect(
            try await kinds(from: .object(["list": .array(long)]), to: [.object(["list": .array([.null])])], at: "list/11") == [
                [.valueChanged(before: .integer(11), after: nil)]
            ])
        #expect(try await kinds(from: .array([.null]), to: [.array([.bool(true)])], at: "00").isEmpty)
        #expect(try await kinds(from: .array([.null]), to: [.array([.bool(true)])], at: "0").count == 1)
    }

    @Test("F14: a value that is neither an object nor an array has no children; changing to one adds all of its children")
    func plainValues() async throws {
        let object: JSONValue = .object(["a": .integer(1)])
        #expect(
            try await kinds(from: nil, to: [.string("x"), object, .array([.integer(1)]), .null]) == [
                [.valueChanged(before: .null, after: .string("x"))],
                [.childAdded(name: "a", value: .integer(1)), .valueChanged(before: .string("x"), after: object)],
                [
                    .childAdded(name: "0", value: .integer(1)), .childRemoved(name: "a", before: .integer(1)),
                    .valueChanged(before: object, after: .array([.integer(1)])),
                ],
                [.childRemoved(name: "0", before: .integer(1)), .valueChanged(before: .array([.integer(1)]), after: .null)],
            ])
    }

    @Test("F14: an equal value is not a change, even if its numbers are written differently")
    func equalValues() async throws {
        let steps = try await kinds(
            from: .object(["a": .integer(1)]), to: [.object(["a": .number(1)]), .object(["a": .integer(1)])])
        #expect(steps.isEmpty)
    }

    @Test("F14: several changes in one transaction are one step, from the value before it to the value after it")
    func transactions() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, .object(["a": .integer(1)]))
            var step = Revision.genesis
            let observed = try await fixture.observed("doc:1", at: "a") {
                fixture.clock.advance(seconds: 5)
                step = try fixture.commit(
                    .writeObject("doc:1", .merge(.object(["a": .integer(2)]))), .createObject("doc:2"),
                    .writeObject("doc:1", .merge(.object(["a": .integer(3), "b": .null])))
                ).head
                // A change that is undone in the same transaction gives no delivery.
                try fixture.commit(
                    .writeObject("doc:1", .merge(.object(["a": .integer(4)]))),
                    .writeObject("doc:1", .merge(.object(["a": .integer(3)]))))
            }
            #expect(
                observed.changes == [
                    ObservedChange(
                        revision: step, time: .newYear.later(seconds: 5), actor: "user:root",
                        kind: .valueChanged(before: .integer(1), after: .integer(3)))
                ])
        }
    }

    @Test("F14: existing values are not delivered, unless a start revision is given")
    func beginnings() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, .integer(1))
            let created = try fixture.head
            try fixture.commit(.writeObject("doc:1", .value(.integer(2))))
            let later = try fixture.store.observe("doc:1", as: "user:ann")
            let earlier = try fixture.store.observe("doc:1", as: "user:ann", since: created)
            #expect(later.since == created.next)
            #expect(earlier.since == created)
            try fixture.commit(.deleteObject("doc:1"))
            #expect(await later.all().changes.isEmpty)
            #expect(await earlier.all().steps.map(\.kinds) == [[.valueChanged(before: .integer(1), after: .integer(2))]])
        }
    }
}
