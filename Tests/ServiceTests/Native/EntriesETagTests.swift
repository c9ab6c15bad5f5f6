import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Entries: the access list of an object has an ETag")
struct EntriesETagTests {
    private let path = "/objects/doc%3Aplan/entries"

    private func commit(_ firm: NativeFixture, _ changes: String, status: Int = 200) async throws {
        _ = try await firm.json("POST", "/transactions", json: #"{"as":"user:root","do":[\#(changes)]}"#, status: status)
    }

    private func tag(_ firm: NativeFixture) async throws -> String { try #require(try await firm.send("GET", path).header("ETag")) }

    @Test("The ETag changes with the access list and not with the value; a current copy gets 304")
    func tags() async throws {
        try await withFirm(isLive: false) { firm in
            try await commit(firm, #"{"op":"register","principal":"user:zoe"}"#)
            let first = try await tag(firm)
            try await commit(firm, #"{"op":"writeObject","object":"doc:plan","value":{"pages":77}}"#)
            #expect(try await tag(firm) == first)
            let known = [HTTPHeader("If-None-Match", first)]
            let unchanged = try await firm.send("GET", path, headers: known)
            #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged.header("ETag") == first)
            try await commit(firm, #"{"op":"grant","subject":"user:zoe","object":"doc:plan","privileges":["read"]}"#)
            let changed = try await firm.send("GET", path, headers: known)
            #expect(changed.status == 200 && changed.header("ETag") != first)
        }
    }

    @Test("A transaction with `If-Match` gets 412 after another change of an object that it names, and changes nothing")
    func transactions() async throws {
        try await withFirm(isLive: false) { firm in
            let match = [HTTPHeader("If-Match", try await tag(firm))]
            let change =
                #"{"as":"user:root","do":[{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["update"]}]}"#
            try await firm.json("POST", "/transactions", json: change, headers: match)
            let undo = change.replacing("grant", with: "revoke")
            let refused = try await firm.json("POST", "/transactions", json: undo, headers: match, status: 412)
            #expect(refused.text("code") == "conflict" && refused.number("change") == 0)
            #expect(try #require(refused.text("detail")).contains("doc:plan"))
            #expect(try await firm.json("GET", path).list("entries").contains { $0.text("subject") == "user:bob" })
            let other = undo.replacing("doc:plan", with: "doc:note")
            try await firm.json("POST", "/transactions", json: other, headers: match)
            let each = undo.replacing(#""do""#, with: #""mode":"each","do""#)
            try await firm.json("POST", "/transactions", json: each, headers: match, status: 400)
            try await firm.json("POST", "/transactions", json: undo, headers: [HTTPHeader("If-Match", "*")], status: 400)
        }
    }

    @Test("A caller who may not read the list gets no ETag, and no 304 that would confirm one")
    func untold() async throws {
        try await withFirm(isLive: false) { firm in
            try await commit(firm, #"{"op":"register","principal":"user:zoe"}"#)
            let known = [HTTPHeader("If-None-Match", try await tag(firm))]
            let answer = try await firm.send("GET", path, token: firm.act(as: "user:zoe"), headers: known)
            #expect(answer.status != 304 && answer.header("ETag") == nil, "\(answer.text)")
        }
    }

    @Test("The ETag without its quotes is the `expectRevision` of a change, which is refused after another change")
    func expectation() async throws {
        try await withFirm(isLive: false) { firm in
            try await commit(firm, #"{"op":"register","principal":"user:zoe"}"#)
            let seen = try await tag(firm).filter(\.isNumber)
            let change = #"{"op":"grant","subject":"user:zoe","object":"doc:plan","privileges":["read"],"expectRevision":\#(seen)}"#
            try await commit(firm, change)
            try await commit(firm, change.replacing("read", with: "update"), status: 409)
        }
    }
}
