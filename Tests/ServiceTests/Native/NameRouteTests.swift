import Credentials
import Events
import HTTPServer
import ServiceSupport
import TestSupport
import Testing

@Suite("Names: the contents of a store at any moment")
struct NameRouteTests {
    @Test("A list has the names that exist at the moment, by class, prefix, part and parent", arguments: [false, true])
    func lists(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            func names(_ query: String) async throws -> [String] { try await firm.json("GET", "/names" + query).texts("names") }
            #expect(try await names("?class=doc") == ["doc:note", "doc:plan"])
            #expect(try await names("?class=user") == ["user:ann", "user:bob", "user:root"])
            #expect(try await names("?class=role") == ["role:editors"])
            #expect(try await names("?class=none") == [])
            #expect(try await names("?prefix=doc:p") == ["doc:plan"])
            #expect(try await names("?contains=NN") == ["user:ann"])
            #expect(try await names("?class=doc&prefix=user") == [])
            let all = try await names("")
            #expect(all == all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            #expect(Set(["class:doc", "doc:note", "doc:plan", "role:editors", "user:ann"]).isSubset(of: all))
            try await firm.commit(
                #"{"op":"createObject","object":"doc:part","parent":"doc:plan"},{"op":"deleteObject","object":"doc:note"}"#)
            #expect(try await names("?parent=doc:plan") == ["doc:part"])
            #expect(try await names("?parent=doc:none") == [])
            #expect(try await names("?class=doc") == ["doc:part", "doc:plan"])
            #expect(try await names("?class=doc&at=1") == ["doc:note", "doc:plan"])
            #expect(try await names("?class=doc&at=0") == [])
        }
    }

    @Test("Pages of names contain each name once, with names of more than 255 bytes last")
    func pages() async throws {
        try await withFirm(isLive: false) { firm in
            let long = ["a", "z"].map { "doc:" + String(repeating: $0, count: 300) }
            try await firm.commit(
                ((0..<12).map { "doc:x\($0)" } + long).map { #"{"op":"createObject","object":"\#($0)"}"# }.joined(separator: ","))
            var found: [String] = []
            var cursor = ""
            repeat {
                let page = try await firm.json("GET", "/names?class=doc&limit=3" + cursor)
                #expect(page.texts("names").count <= 3)
                found += page.texts("names")
                cursor = page.text("next").map { "&cursor=" + $0 } ?? ""
            } while !cursor.isEmpty
            #expect(found.count == 16 && Set(found).count == 16)
            #expect(Set(found.suffix(2)) == Set(long))
            #expect(try await firm.json("GET", "/names?prefix=doc:zzz").texts("names") == [long[1]])
            let other = try #require(try await firm.json("GET", "/names?class=doc&limit=3").text("next"))
            try await firm.json("GET", "/names?class=user&cursor=" + other, status: 400)
        }
    }

    @Test("A description has all data recorded about a name; a name that does not exist at the moment has none")
    func describes() async throws {
        try await withFirm(isLive: false) { firm in
            func describe(_ name: String, status: Int = 200) async throws -> JSONValue {
                try await firm.json("GET", "/names/" + name, status: status)
            }
            try await firm.commit(
                #"""
                {"op":"createObject","object":"doc:part","parent":"doc:plan"},
                {"op":"definePermission","permission":"readers","subject":"user:bob","privileges":["read"]},
                {"op":"attachPermission","permission":"readers","object":"doc:note"}
                """#)
            let part = try await describe("doc:part")
            #expect(part.text("parent") == "doc:plan")
            #expect(part.text("owner") == "user:root")
            #expect(part.text("class") == "doc")
            #expect(part.number("created") == 2)
            #expect(try await describe("doc:plan")["hasChildren"] == .bool(true))
            #expect(try await describe("role:editors").texts("members") == ["user:bob"])
            #expect(try await describe("role:editors").texts("entries") == ["doc:plan"])
            #expect(try await describe("user:bob").texts("roles") == ["role:editors"])
            #expect(try await describe("class:doc")["options"]?.texts("properties") == ["title", "pages"])
            let permission = try #require(try await describe("permission:readers")["permission"])
            #expect(permission.texts("objects") == ["doc:note"])
            #expect(permission.text("subject") == "user:bob")
            _ = try await describe("doc:part?at=1", status: 404)
            _ = try await describe("doc:none", status: 404)
        }
    }

    @Test("The entries that end are listed with the next end first")
    func ends() async throws {
        try await withFirm(isLive: false) { firm in
            try await firm.commit(
                ["bob": "2999-01-01T00:00:00Z", "ann": "2998-01-01T00:00:00Z"].map {
                    #"{"op":"grant","subject":"user:\#($0)","object":"doc:note","privileges":["read"],"until":"\#($1)"}"#
                }.joined(separator: ","))
            let ends = try await firm.json("GET", "/ends").list("ends")
            #expect(ends.map { $0.text("subject") } == ["user:ann", "user:bob"])
            #expect(ends.map { $0.text("until") } == ["2998-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
            #expect(try await firm.json("GET", "/ends?limit=1").list("ends").count == 1)
        }
    }

    @Test("The activity counts every commit of its span in one part")
    func activity() async throws {
        try await withFirm(isLive: false) { firm in
            for number in 0..<5 {
                firm.service.clock.advance(seconds: 60)
                try await firm.commit(#"{"op":"register","principal":"user:u\#(number)"}"#)
            }
            firm.service.clock.advance(seconds: 60)
            let counts = try await firm.json("GET", "/activity?parts=6").list("commits")
            #expect(counts.count == 6)
            #expect(counts.reduce(0) { sum, count in if case .integer(let number) = count { sum + number } else { sum } } == 6)
            #expect(try await firm.json("GET", "/activity?from=3&to=5&parts=1").list("commits") == [.integer(2)])
            #expect(try await firm.json("GET", "/activity?from=5&to=3&parts=2").list("commits") == [.integer(0), .integer(0)])
        }
    }

    @Test("Lists and descriptions need a token that may query all subjects, or an administrator of the store")
    func rights() async throws {
        try await withFirm(isLive: false) { firm in
            for path in ["/names", "/names/doc:plan", "/ends", "/activity"] {
                for (token, status) in [
                    (try firm.act(as: "user:ann"), 403), (try firm.act(as: "user:root"), 200), (try firm.service.token(.ask), 200),
                ] {
                    #expect(try await firm.send("GET", path, token: token).status == status, "\(path)")
                }
            }
        }
    }

    @Test("A caller can ask what its token allows in a store")
    func caller() async throws {
        try await withFirm(isLive: false) { firm in
            func caller(_ token: String?) async throws -> ServiceSupport.Answer {
                try await firm.door.send("GET", "/v1/stores/default/caller", token: token)
            }
            let ann = try await caller(try firm.act(as: "user:ann")).json
            #expect(ann.text("right") == "act")
            #expect(ann.text("principal") == "user:ann")
            #expect(ann["queriesAll"] == .bool(false))
            #expect(try await caller(try firm.act(as: "user:root")).json["queriesAll"] == .bool(true))
            #expect(try await caller(try firm.service.token(.ask)).json.text("right") == "ask")
            #expect(try await caller(firm.administrator).json.text("right") == "administer")
            #expect(try await caller(nil).status == 401)
        }
    }
}
