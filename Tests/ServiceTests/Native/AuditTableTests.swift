import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("The audit as CSV, with its count; rankings of roles; named sets")
struct AuditTableTests {
    @Test("The audit as CSV has a line for each record of all pages, and `count` is their number", arguments: [false, true])
    func table(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await firm.commit(#"{"op":"grant","subject":"user:ann","object":"doc:note","privileges":["read"]}"#)
            for filter in ["", "kind=AccessGranted", "actor=user:root", "actor=user:none", "to=1"] {
                let page = try await firm.json("GET", "/audit?limit=2&count=true&\(filter)")
                let answer = try await firm.send("GET", "/audit?\(filter)", headers: [HTTPHeader("Accept", "text/csv")])
                #expect(answer.header("Content-Type") == "text/csv")
                let lines = answer.text.split(separator: "\r\n")
                #expect(
                    lines[0].hasPrefix("time,outcome,revision,refusal,actor,kind,objects,subjects,privileges,code,description,"))
                #expect(page.number("count") == Int64(lines.count - 1), "\(filter)")
                #expect(page.list("records").count <= 2)
            }
            let granted = try await firm.send(
                "GET", "/audit?kind=AccessGranted&from=2", headers: [HTTPHeader("Accept", "text/csv")])
            #expect(granted.text.contains(",user:root,AccessGranted,doc:note,user:ann,read,,"))
            #expect(try await firm.json("GET", "/audit?limit=2").number("count") == nil)
        }
    }

    @Test("`text` selects records in pages, lines and CSV, and excludes `count`")
    func text() async throws {
        try await withFirm(isLive: false) { firm in
            try await firm.commit(#"{"op":"grant","subject":"user:ann","object":"doc:note","privileges":["read"]}"#)
            let page = try await firm.json("GET", "/audit?text=DOC:NOTE").list("records")
            #expect(page.map { $0["event"]?.text("kind") } == ["ObjectCreated", "AccessGranted"])
            let lines = try await firm.send("GET", "/audit?text=doc:note", headers: [HTTPHeader("Accept", "application/jsonl")])
                .lines
            #expect(lines == page)
            let table = try await firm.send("GET", "/audit?text=doc:note", headers: [HTTPHeader("Accept", "text/csv")])
            #expect(table.text.split(separator: "\r\n").count == 3)
            try await firm.json("GET", "/audit?text=doc:note&count=true", status: 400)
        }
    }

    @Test("All roles are ranked by the objects that they open, and only for callers who may ask about all")
    func roles() async throws {
        try await withFirm(isLive: false) { firm in
            try await firm.commit(#"{"op":"createRole","role":"authors"}"#)
            let answer = try await firm.json("GET", "/roles?privileges=read&limit=1")
            #expect(answer.number("count") == 2)
            let role = try #require(answer.list("roles").first)
            #expect(role.text("role") == "role:editors" && role.number("objects") == 1)
            #expect(role.list("members") == [.string("user:bob")])
            try await firm.json("GET", "/roles?privileges=read", token: try firm.act(as: "user:ann"), status: 403)
        }
    }

    @Test("Every caller of the store can list its named sets")
    func levels() async throws {
        try await withFirm(isLive: false) { firm in
            let answer = try await firm.json("GET", "/levels", token: try firm.act(as: "user:ann"))
            #expect(answer.list("levels").isEmpty)
        }
    }

    @Test("A receipt has notes about the changes without effect")
    func changesWithoutEffect() async throws {
        try await withFirm(isLive: true) { firm in
            let changes = #"{"op":"grant","subject":"anonymous","object":"doc:plan","privileges":["read"]}"#
            let receipt = try await firm.json("POST", "/transactions", json: #"{"as":"user:root","do":[\#(changes)]}"#)
            let change = try #require(receipt.list("notes").first)
            #expect(change.number("change") == 0 && change.text("reason") == "storeLevel")
            #expect(change.text("message")?.contains("the entries of `store` do not give it read") ?? false)
        }
    }
}
