import Events
import Foundation
import Histories
import Permissions
import TestSupport
import Testing

@Suite("Changes as JSON, as defined in SCENARIOS.md")
struct ChangeJSONTests {
    /// Every operation, once without any optional part and once with all of them.
    static let changes: [(change: Change, json: String)] = [
        (.defineClass("doc"), #"{"op":"defineClass","class":"doc"}"#),
        (
            .defineClass(
                "doc",
                ClassSettings(
                    objectACL: ObjectACL.none, composition: .widening, inherits: .only(["read"]), creatorPrivileges: [],
                    creatorPermanent: false, readThroughLinks: true, privileges: ["approve"], properties: ["title", "size"])),
            #"{"op":"defineClass","class":"doc","objectACL":"none","composition":"widening","inherits":["read"],"#
                + #""creatorPrivileges":[],"creatorPermanent":false,"readThroughLinks":true,"privileges":["approve"],"#
                + #""properties":["title","size"]}"#
        ),
        (
            .changeClass("doc", ClassSettings(objectACL: .required, composition: .narrowing, inherits: .everything)),
            #"{"op":"changeClass","class":"doc","objectACL":"required","composition":"narrowing","inherits":true}"#
        ),
        (
            .changeClass(
                "doc", ClassSettings(aliases: [.init("may_see", for: ["read"]), .init("may_do", for: ["update", "read"])])),
            #"{"op":"changeClass","class":"doc","aliases":{"may_do":["update","read"],"may_see":"read"}}"#
        ),
        (.changeClass("doc", ClassSettings(aliases: [])), #"{"op":"changeClass","class":"doc","aliases":{}}"#),
        (.changeClass("doc", ClassSettings(inherits: .nothing)), #"{"op":"changeClass","class":"doc","inherits":false}"#),
        (.createObject("doc:1"), #"{"op":"createObject","object":"doc:1"}"#),
        (
            .createObject("doc:1", parent: "doc:0", value: .null, owner: "user:ann"),
            #"{"op":"createObject","object":"doc:1","parent":"doc:0","value":null,"owner":"user:ann"}"#
        ),
        (
            .writeObject("doc:1", .value(.object(["b": .integer(.max), "a": .array([.number(0.5), .bool(true)])]))),
            #"{"op":"writeObject","object":"doc:1","value":{"a":[0.5,true],"b":9223372036854775807}}"#
        ),
        (
            .writeObject("doc:1", .merge(.object(["a": .null])), expectedRevision: Revision(7)),
            #"{"op":"writeObject","object":"doc:1","merge":{"a":null},"expectRevision":7}"#
        ),
        (.moveObject("doc:1", parent: "doc:0"), #"{"op":"moveObject","object":"doc:1","parent":"doc:0"}"#),
        (.moveObject("doc:1", parent: nil), #"{"op":"moveObject","object":"doc:1","parent":null}"#),
        (.deleteObject("doc:1"), #"{"op":"deleteObject","object":"doc:1"}"#),
        (.deleteObject("doc:1", expectedRevision: Revision(7)), #"{"op":"deleteObject","object":"doc:1","expectRevision":7}"#),
        (.setOwner("doc:1", owner: "user:ann"), #"{"op":"setOwner","object":"doc:1","owner":"user:ann"}"#),
        (
            .grant("user:ann", on: "doc:1", ["read"]),
            #"{"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"]}"#
        ),
        (
            .grant(.everyone, on: .store, [], until: .newYear, strict: true),
            #"{"op":"grant","subject":"everyone","object":"store","privileges":[],"until":"2026-01-01T00:00:00Z","strict":true}"#
        ),
        (
            .setAccess("user:ann", on: "doc:1", ["update", "read"]),
            #"{"op":"setAccess","subject":"user:ann","object":"doc:1","privileges":["update","read"]}"#
        ),
        (.revoke("user:ann", on: "doc:1"), #"{"op":"revoke","subject":"user:ann","object":"doc:1"}"#),
        (
            .revoke("user:ann", on: "doc:1", ["read"], strict: true),
            #"{"op":"revoke","subject":"user:ann","object":"doc:1","privileges":["read"],"strict":true}"#
        ),
        (
            .grant("user:ann", on: "doc:1", ["read"], expectedRevision: Revision(7)),
            #"{"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"],"expectRevision":7}"#
        ),
        (
            .setAccess("user:ann", on: "doc:1", ["read"], expectedRevision: Revision(7)),
            #"{"op":"setAccess","subject":"user:ann","object":"doc:1","privileges":["read"],"expectRevision":7}"#
        ),
        (
            .revoke("user:ann", on: "doc:1", expectedRevision: Revision(7)),
            #"{"op":"revoke","subject":"user:ann","object":"doc:1","expectRevision":7}"#
        ),
        (.createRole("role:r"), #"{"op":"createRole","role":"role:r"}"#),
        (.createRole("role:role:r"), #"{"op":"createRole","role":"role:role:r"}"#),
        (.deleteRole("role:r"), #"{"op":"deleteRole","role":"role:r"}"#),
        (.addMember("user:ann", to: "role:r"), #"{"op":"addMember","role":"role:r","member":"user:ann"}"#),
        (
            .removeMember("user:ann", from: "role:r", strict: true),
            #"{"op":"removeMember","role":"role:r","member":"user:ann","strict":true}"#
        ),
        (.register("user:ann"), #"{"op":"register","principal":"user:ann"}"#),
        (
            .definePermission("permission:p", subject: "role:r", ["read"]),
            #"{"op":"definePermission","permission":"permission:p","subject":"role:r","privileges":["read"]}"#
        ),
        (
            .changePermission("permission:p", subject: "role:r", []),
            #"{"op":"changePermission","permission":"permission:p","subject":"role:r","privileges":[]}"#
        ),
        (
            .attachPermission("permission:p", to: "doc:1"),
            #"{"op":"attachPermission","permission":"permission:p","object":"doc:1"}"#
        ),
        (
            .detachPermission("permission:p", from: "doc:1"),
            #"{"op":"detachPermission","permission":"permission:p","object":"doc:1"}"#
        ),
        (.appointAdministrator("user:ann"), #"{"op":"appointAdministrator","principal":"user:ann"}"#),
        (.dismissAdministrator("thing:door"), #"{"op":"dismissAdministrator","principal":"thing:door"}"#),
    ]

    private func json(_ change: Change) -> String {
        var writer = JSONWriter()
        change.write(into: &writer)
        return writer.text
    }

    private func read(_ json: String) throws -> Change {
        try [Change](.array([JSONText.decode(Array(json.utf8))]), levels: nil)[0]
    }

    @Test("E9: Every operation is written in the format, and reads back as the same change", arguments: changes)
    func roundTrip(change: Change, json: String) throws {
        #expect(self.json(change) == json)
        #expect(try read(json) == change)
    }

    @Test("The table contains every operation")
    func isComplete() {
        // The error for an unknown operation lists all operations of the format.
        let known = complaint { _ = try read(#"{"op":"?"}"#) }
        let words = Set(ChangeJSONTests.changes.map(\.change.operation))
        #expect(words.count == 21)
        for word in words { #expect(known.contains(word)) }
    }

    @Test("E9: Random changes read back equal from their JSON", arguments: UInt64(0)..<10)
    func randomRoundTrip(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 6_000_000 &+ number
        var history = RandomHistory(seed: seed)
        for _ in 0..<200 {
            for change in history.next().changes { #expect(try read(json(change)) == change, "seed \(seed)") }
        }
    }

    @Test("Any text reads back byte for byte; a number that JSON cannot represent is quoted")
    func oddTexts() throws {
        let odd = (0...0x9F).map { String(UnicodeScalar($0)) }.joined() + "\"\\/é e\u{301}\u{2028}😀"
        guard
            case .createObject(let name, _, .some(.string(let text)), _) = try read(
                json(.createObject(Name("doc:" + odd), value: .string(odd))))
        else {
            Issue.record("the decoded change differs")
            return
        }
        #expect(Array(text.utf8) == Array(odd.utf8))
        #expect(Array(name.text.utf8) == Array("doc:\(odd)".utf8))
        #expect(json(.writeObject("doc:1", .value(.number(.nan)))) == #"{"op":"writeObject","object":"doc:1","value":"nan"}"#)
    }

    @Test("Writing in pieces gives the same text")
    func pieces() {
        let long = String(repeating: "ab\"\u{1}é", count: 100_000)
        let change = Change.createObject("doc:1", value: .object(["long": .string(long), "zero": .integer(0)]))
        var (bytes, largest) = ([UInt8](), 0)
        var writer = JSONWriter { piece in
            largest = max(largest, piece.count)
            for index in piece.indices { bytes.append(piece[index]) }
        }
        change.write(into: &writer)
        writer.finish()
        #expect(String(decoding: bytes, as: UTF8.self) == json(change))
        #expect(largest < 1 << 18)
    }
}
