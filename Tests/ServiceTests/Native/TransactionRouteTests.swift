import Events
import Foundation
import HTTPServer
import ServiceSupport
import Testing

@testable import Muniment
@testable import Service

@Suite("Transactions: atomic or change by change, and once per key")
struct TransactionRouteTests {
    private let register = #"{"op":"register","principal":"user:cat"}"#
    private let grant = #"{"op":"grant","subject":"user:nobody","object":"doc:plan","privileges":["read"]}"#

    @Test(
        "A transaction with one refused change changes nothing, and the problem names the code and the change",
        arguments: [false, true])
    func allOrNothing(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let body = #"{"as":"user:root","do":[\#(register),\#(grant)]}"#
            let problem = try await firm.json("POST", "/transactions", json: body, status: 404)
            #expect(problem.text("code") == "unknownPrincipal")
            #expect(problem.number("change") == 1)
            #expect(try await firm.json("GET", "").number("revision") == 1)
        }
    }

    @Test("In mode each, allowed changes are made and each change has a result", arguments: [false, true])
    func each(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let body = #"{"as":"user:root","mode":"each","do":[\#(register),\#(grant),\#(register)]}"#
            let answer = try await firm.json("POST", "/transactions", json: body)
            let results = answer.list("results")
            #expect(results.count == 3)
            #expect(results[0].number("revision") == 2)
            #expect(results[1]["refused"]?.text("code") == "unknownPrincipal")
            #expect(results[2]["refused"]?.text("code") == "alreadyExists" || results[2]["revision"] == .null)
            #expect(answer.number("head") == 2)
            let key = [HTTPHeader("Idempotency-Key", "k")]
            try await firm.json("POST", "/transactions", json: body, headers: key, status: 400)
        }
    }

    @Test("R17: a refused key gets the same problem after access was granted, and a receipt has a hash", arguments: [false, true])
    func refusedKey(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            func send(_ key: String, status: Int) async throws -> JSONValue {
                let body = #"{"as":"user:bob","do":[{"op":"writeObject","object":"doc:plan","value":{"title":"late"}}]}"#
                return try await firm.json(
                    "POST", "/transactions", json: body, headers: [HTTPHeader("Idempotency-Key", key)], status: status)
            }
            let first = try await send("late", status: 403)
            #expect(first.text("code") == "noPrivilege")
            let grants = [("user:bob", "doc:plan"), ("everyone", "class:doc"), ("everyone", "store")].map { subject, object in
                #"{"op":"grant","subject":"\#(subject)","object":"\#(object)","privileges":["read","update"]}"#
            }
            try await firm.commit(grants.joined(separator: ","))
            #expect(try await send("late", status: 403) == first)
            let receipt = try await send("other", status: 200)
            #expect(receipt.text("hash")?.count == 64)
        }
    }

    @Test(
        "A repeated key returns its first result, is refused for other content, and is separate for each caller",
        arguments: [false, true])
    func idempotency(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            func send(_ principal: String, by caller: String = "user:root", status: Int = 200) async throws -> JSONValue {
                let body =
                    #"{"as":"\#(caller)","do":[{"op":"grant","subject":"\#(principal)","object":"doc:plan","privileges":["query"]}]}"#
                return try await firm.json(
                    "POST", "/transactions", json: body, headers: [HTTPHeader("Idempotency-Key", "first")], status: status)
            }
            let first = try await send("user:bob")
            #expect(first.number("revision") == 2)
            try await firm.commit(#"{"op":"revoke","subject":"user:bob","object":"doc:plan","privileges":["query"]}"#)
            let again = try await send("user:bob")
            #expect(again.number("revision") == 2)
            #expect(again.number("head") == 3)
            let other = try await send("user:ann", status: 422)
            #expect(other.text("type") == "/problems/idempotency-key-reused")
            #expect(other.text("code") == "keyReused")
            try await firm.commit(#"{"op":"appointAdministrator","principal":"user:ann"}"#)
            #expect(try await send("user:bob", by: "user:ann").number("revision") == 5)
            let long = [HTTPHeader("Idempotency-Key", String(repeating: "k", count: 1025))]
            // Also before an ETag is compared: the client would read the object again in vain.
            for headers in [long, long + [HTTPHeader("If-Match", "\"@\"")]] {
                try await firm.json(
                    "POST", "/transactions", json: #"{"as":"user:root","do":[\#(register)]}"#, headers: headers, status: 400)
            }
        }
    }

    @Test("A named set of privileges can be named in each change that names privileges")
    func namedSets() async throws {
        try await withFirm(isLive: false) { firm in
            let levels = AccessLevel.file(Array(#"[{"name":"edit","privileges":["read","update"]}]"#.utf8))
            try Data(levels).write(to: URL(filePath: firm.service.directory + "/default/levels.json"))
            try await firm.commit(
                """
                {"op":"defineClass","class":"plan","inherits":["edit"],"creatorPrivileges":["edit","delete"],\
                "aliases":{"write":["edit"]}},\
                {"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["edit"]},\
                {"op":"setAccess","subject":"user:ann","object":"doc:plan","privileges":["edit"]},\
                {"op":"definePermission","permission":"editors","subject":"user:bob","privileges":["edit"]}
                """)
            let plan = try await firm.json("GET", "/names/class:plan")
            #expect(plan["options"]?.texts("inherits") == ["read", "update"], "\(plan)")
            #expect(plan["options"]?.texts("creatorPrivileges") == ["delete", "read", "update"], "\(plan)")
            for user in ["user:bob", "user:ann"] {
                let privileges = try await firm.json("POST", "/privileges", json: #"{"subject":"\#(user)","object":"doc:plan"}"#)
                #expect(Set(privileges.texts("privileges")).isSuperset(of: ["read", "update"]), "\(user) \(privileges)")
            }
            let wrong = #"{"as":"user:root","do":[{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["edits"]}]}"#
            let problem = try await firm.json("POST", "/transactions", json: wrong, status: 400)
            #expect(problem.text("detail")?.contains("edits") == true)
        }
    }

    @Test("A key in use is locked only for its store and caller, until its request ends")
    func runningKeys() async throws {
        let keys = RunningIdempotencyKeys()
        let scope = RunningIdempotencyKeys.Scope(store: .default, caller: "user:ann", key: "k")
        try await keys.withKey(scope) {
            await #expect(throws: Problem.self) { try await keys.withKey(scope) {} }
            do { try await keys.withKey(scope) {} } catch let problem as Problem { #expect(problem.kind.status == 409) }
            try await keys.withKey(RunningIdempotencyKeys.Scope(store: .default, caller: "user:bob", key: "k")) {}
            try await keys.withKey(nil) {}
        }
        try await keys.withKey(scope) {}
    }

    @Test(
        "A missing or unknown member of a change is reported with its position",
        arguments: [
            (#"{"op":"grant","subject":"user:ann","object":"doc:plan"}"#, "`do[0].privileges` is missing"),
            (#"{"op":"fly"}"#, "`do[0].op` has the unknown value `fly`"),
            (#"{"op":"register","principal":"user:x","by":1}"#, "`do[0].by` is unknown here"),
            (#"{"op":"register","principal":"user:x"},1"#, "`do[1]`"), ("", "`do` is empty"),
        ])
    func places(changes: String, detail: String) async throws {
        try await withFirm(isLive: false) { firm in
            let problem = try await firm.json("POST", "/transactions", json: #"{"as":"user:root","do":[\#(changes)]}"#, status: 400)
            #expect(problem.text("detail")?.hasPrefix(detail) == true, "\(problem)")
        }
    }

    @Test("The request's id and comment are in the log", arguments: [false, true])
    func origin(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let body = #"{"as":"user:root","do":[\#(register)],"comment":"new"}"#
            let answer = try await firm.send("POST", "/transactions", json: body, headers: [HTTPHeader("X-Request-ID", "r-7")])
            #expect(answer.header("X-Request-ID") == "r-7")
            let commit = try #require(try await firm.json("GET", "/history?name=user:cat").list("commits").first)
            #expect(commit.text("id") == "r-7")
            #expect(commit.text("comment") == "new")
        }
    }

    @Test("What-if reports the subjects that would gain access, and changes nothing", arguments: [false, true])
    func whatIf(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let draft = #"{"as":"user:root","do":[{"op":"grant","subject":"user:bob","object":"doc:note","privileges":["read"]}]}"#
            let refused = #"{"as":"user:bob","do":[{"op":"deleteObject","object":"doc:plan"}]}"#
            let answer = try await firm.json("POST", "/what-if", json: #"{"transactions":[\#(draft),\#(refused)]}"#)
            #expect(answer.list("differences").contains { $0.text("subject") == "user:bob" && $0.texts("gained") == ["read"] })
            #expect(answer.list("refused").map { $0.number("transaction") } == [1])
            #expect(try await firm.json("GET", "").number("revision") == 1)
        }
    }
}
