import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Notes over HTTP for creators, and for callers with an empty list")
struct NoteRouteTests {
    private let creation = #"{"op":"createObject","object":"doc:mine"}"#

    @Test("R8: the receipt of a class without creator privileges names the option that gives them")
    func classes() async throws {
        try await withFirm(isLive: true) { firm in
            func notes(_ members: String) async throws -> [JSONValue] {
                let change = #"{"op":"defineClass",\#(members)}"#
                return try await firm.json("POST", "/transactions", json: #"{"as":"user:root","do":[\#(change)]}"#).list("notes")
            }
            let found = try await notes(#""class":"page""#)
            #expect(found.map { $0.text("reason") } == ["noCreatorPrivileges"] && found.map { $0.number("change") } == [0])
            #expect(found.first?.text("message")?.contains("`creatorPrivileges` in `changeClass`") == true)
            #expect(try await notes(#""class":"picture","creatorPrivileges":["read"]"#).isEmpty)
        }
    }

    @Test("R8: the receipt of an object that its creator may not read says so, by every way to create it")
    func creations() async throws {
        try await withFirm(isLive: true) { firm in
            let ann = try firm.act(as: "user:ann")
            let receipt = try await firm.json("POST", "/transactions", token: ann, json: #"{"do":[\#(creation)]}"#)
            #expect(receipt.list("notes").map { $0.text("reason") } == ["unreadable"])
            let created = [HTTPHeader("If-None-Match", "*")]
            let put = try await firm.json("PUT", "/objects/doc%3Aother", token: ann, json: "{}", headers: created, status: 201)
            #expect(put.list("notes").map { $0.text("message")?.contains("`doc:other`") } == [true])
            let each = #"{"op":"createObject","object":"doc:third"}"#
            let answer = try await firm.json("POST", "/transactions", token: ann, json: #"{"mode":"each","do":[\#(each)]}"#)
            #expect(answer.list("results").first?.list("notes").map { $0.text("reason") } == ["unreadable"])
        }
    }

    @Test("G8: an empty query names the missing privilege, and tells nothing about objects that the caller may not read (E15)")
    func queries() async throws {
        try await withFirm(isLive: true) { firm in
            let ann = try firm.act(as: "user:ann")
            func answer(_ members: String = "") async throws -> JSONValue {
                try await firm.json("POST", "/query", token: ann, json: #"{"class":"doc"\#(members)}"#)
            }
            // Ann may read `doc:plan`, with 3 pages, and not `doc:note`, with 1 page.
            let unqueried = try await answer()
            #expect(unqueried.texts("objects").isEmpty && unqueried["note"]?.text("reason") == "noQuery")
            let hidden = try await answer(#","where":{"pages":1}"#)
            let absent = try await answer(#","where":{"pages":99}"#)
            #expect(hidden["note"]?.text("reason") == "noAccess" && hidden == absent)
            try await firm.commit(#"{"op":"grant","subject":"user:ann","object":"doc:plan","privileges":["query"]}"#)
            let found = try await answer()
            #expect(found.texts("objects") == ["doc:plan"] && found["note"] == nil)
            try await firm.commit(#"{"op":"setAccess","subject":"everyone","object":"class:doc","privileges":["query"]}"#)
            let denied = try await answer()
            #expect(denied["note"]?.text("reason") == "classLevel")
            #expect(denied["note"]?.text("message")?.hasSuffix("Grant read on `class:doc`") == true)
        }
    }
}
