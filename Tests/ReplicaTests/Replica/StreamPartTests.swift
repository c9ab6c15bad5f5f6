import Events
import TestSupport
import Testing

@testable import MunimentReplica

@Suite("R17: the stream of the service")
struct StreamPartTests {
    static let plan = ReplicaObject(
        "doc:plan", value: .object(["a": .integer(1)]), changed: Revision(55), parent: "folder:x",
        privileges: PrivilegeEnds([("read", nil), ("update", Instant.newYear)]))

    static let parts: [(event: String, id: String?, data: String?, part: ReplicaStreamPart)] = [
        ("begin", nil, #"{"kind":"fill"}"#, .begin(.fill)),
        ("begin", "5.x.0", #"{"kind":"fill","resumed":true}"#, .begin(.resumedFill)),
        ("begin", nil, #"{"kind":"fill","reset":"restored"}"#, .begin(.restored)),
        ("begin", nil, #"{"after":41,"kind":"changes"}"#, .begin(.changes(after: Revision(41)))),
        (
            "objects", "7",
            #"{"changed":[{"changed":55,"class":"doc","object":"doc:plan","parent":"folder:x","privileges":{"read":null,"update":"2026-01-01T00:00:00Z"},"value":{"a":1}}],"removed":["doc:b"]}"#,
            .objects([plan], removed: ["doc:b"], position: "7")
        ),
        ("objects", nil, "{}", .objects([], removed: [], position: nil)),
        (
            "end", "57.0f",
            #"{"classes":[{"class":"doc","privileges":{"create":null}}],"revision":57,"time":"2026-01-01T00:00:00Z"}"#,
            .end(position: "57.0f", Revision(57), time: .newYear, classes: ["class:doc": PrivilegeEnds([("create", nil)])])
        ),
        ("message", "57.0f", nil, .position("57.0f")),
        ("message", nil, nil, .alive),
    ]

    @Test("R17: each part is read from its JSON", arguments: parts)
    func partIsRead(event: String, id: String?, data: String?, part: ReplicaStreamPart) throws {
        #expect(try ReplicaStreamPart(event: event, id: id, data: data.map { Array($0.utf8) }) == part)
    }

    @Test(
        "R17: an ill-formed part is refused",
        arguments: [
            ("begin", #"{"kind":"other"}"#), ("begin", "{}"), ("objects", "["), ("objects", #"{"changed":[{"object":"a b"}]}"#),
            ("objects", "[]"), ("objects", #"{"changed":{}}"#), ("objects", #"{"removed":[1]}"#), ("objects", #"{"changed":[1]}"#),
            ("objects", #"{"changed":[{"changed":-1,"object":"doc:a","privileges":{},"value":1}]}"#),
            ("objects", #"{"changed":[{"changed":1,"object":"doc:a","privileges":[],"value":1}]}"#),
            ("objects", #"{"changed":[{"changed":1,"object":"doc:a","privileges":{"read":"soon"},"value":1}]}"#),
            ("objects", #"{"changed":[{"changed":1,"object":"","privileges":{},"value":1}]}"#),
            ("objects", #"{"changed":[{"changed":1,"object":"doc:a","object":"doc:b","privileges":{},"value":1}]}"#),
            ("end", #"{"revision":1}"#), ("other", "{}"),
        ])
    func illFormedPart(event: String, data: String) {
        #expect(throws: ReplicaError.self) { try ReplicaStreamPart(event: event, id: nil, data: Array(data.utf8)) }
    }

    @Test("R17: the storage keeps the text of an object as it was read, and writes a new one for a changed object")
    func storedText() throws {
        let text = #"{"later":[1],"value":{"a":1},"changed":55,"object":"doc:plan","privileges":{"read":null}}"#
        let part = try ReplicaStreamPart(event: "objects", id: nil, data: Array(#"{"changed":[ \#(text) ]}"#.utf8))
        guard case .objects(let objects, _, _) = part, var object = objects.first else { return #expect(Bool(false), "\(part)") }
        #expect(String(decoding: try object.encoded(), as: UTF8.self) == text)
        object.value = .null
        let written = #"{"changed":55,"class":"doc","object":"doc:plan","privileges":{"read":null},"value":null}"#
        #expect(String(decoding: try object.encoded(), as: UTF8.self) == written)
        #expect(try ReplicaObject(decoding: Array(written.utf8)) == object)
        #expect(try ReplicaObject(decoding: try StreamPartTests.plan.encoded()) == StreamPartTests.plan)
    }
}
