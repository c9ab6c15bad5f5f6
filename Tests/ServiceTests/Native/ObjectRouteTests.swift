import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Objects: each value has an ETag, and a change must name the current one")
struct ObjectRouteTests {
    private let path = "/objects/doc%3Aletter?as=user:root"

    @Test(
        "An object is created once, read, replaced, patched and deleted, each time with its current ETag",
        arguments: [false, true])
    func life(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let new = [HTTPHeader("If-None-Match", "*")]
            let made = try await firm.send("PUT", path + "&parent=doc:plan", json: #"{"title":"A"}"#, headers: new)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.header("Location") == "/v1/stores/default/objects/doc%3Aletter")
            #expect(made.header("ETag") == "\"2\"")
            let again = try await firm.json("PUT", path, json: "{}", headers: new, status: 412)
            #expect(again.text("code") == "alreadyExists")

            let read = try await firm.send("GET", path)
            #expect(try read.json["value"] == .object(["title": .string("A")]))
            #expect(read.header("ETag") == "\"2\"")
            #expect(try await firm.send("GET", path, headers: [HTTPHeader("If-None-Match", "\"2\"")]).status == 304)
            #expect(try await firm.send("GET", path, headers: [HTTPHeader("If-None-Match", "\"1\"")]).status == 200)

            let replaced = try await firm.send("PUT", path, json: #"{"title":"B"}"#, headers: [HTTPHeader("If-Match", "\"2\"")])
            #expect(replaced.status == 200)
            #expect(replaced.header("ETag") == "\"3\"")
            let patch = [HTTPHeader("If-Match", "\"3\""), HTTPHeader("Content-Type", "application/merge-patch+json")]
            let patched = try await firm.door.send(
                "PATCH", "/v1/stores/default" + path,
                headers: patch + [HTTPHeader("Authorization", "Bearer \(firm.administrator)")],
                body: Array(#"{"pages":1}"#.utf8))
            #expect(patched.status == 200, "\(patched.text)")
            let value = try await firm.json("GET", path)["value"]
            #expect(value == .object(["title": .string("B"), "pages": .integer(1)]))
            let past = try await firm.send("GET", path + "&at=2")
            #expect(try past.json["value"] == .object(["title": .string("A")]))
            #expect(past.header("ETag") == "\"2\"")

            #expect(try await firm.send("DELETE", path, headers: [HTTPHeader("If-Match", "\"3\"")]).status == 412)
            #expect(try await firm.send("GET", path).status == 200)
            #expect(try await firm.send("DELETE", path, headers: [HTTPHeader("If-Match", "\"4\"")]).status == 200)
            #expect(try await firm.send("GET", path).status == 404)
        }
    }

    @Test(
        "A change without a precondition, or with an outdated one, is refused",
        arguments: [false, true])
    func preconditions(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let plan = "/objects/doc%3Aplan?as=user:root"
            try await firm.commit(#"{"op":"writeObject","object":"doc:plan","value":1}"#)
            for method in ["PUT", "PATCH", "DELETE"] {
                let body = method == "DELETE" ? nil : "2"
                let missing = try await firm.json(method, plan, json: body, status: 428)
                #expect(missing.text("type") == "/problems/precondition-required")
                for tag in ["\"1\"", "\"99\"", "W/\"2\"", "\"x\""] {
                    let problem = try await firm.json(method, plan, json: body, headers: [HTTPHeader("If-Match", tag)], status: 412)
                    #expect(problem.text("type") == "/problems/precondition-failed")
                }
                for tag in ["2", "\"1\", \"2\""] {
                    try await firm.json(method, plan, json: body, headers: [HTTPHeader("If-Match", tag)], status: 400)
                }
            }
            #expect(try await firm.json("GET", plan)["value"] == .integer(1))
            try await firm.json("PUT", plan, json: "3", headers: [HTTPHeader("If-Match", "*")])
            #expect(try await firm.json("GET", plan)["value"] == .integer(3))
            let nowhere = "/objects/doc%3Anone?as=user:root"
            try await firm.json("PUT", nowhere, json: "3", headers: [HTTPHeader("If-Match", "*")], status: 404)
        }
    }

    @Test("A caller without read access is refused, and a missing object is not found", arguments: [false, true])
    func refusals(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let bob = try firm.act(as: "user:bob")
            let refused = try await firm.json("GET", "/objects/doc%3Anote", token: bob, status: 403)
            #expect(refused.text("code") == "noPrivilege")
            #expect(try await firm.json("GET", "/objects/doc%3Aplan", token: bob).number("changed") == 1)
            try await firm.json("GET", "/objects/doc%3Anone", token: bob, status: 404)
            let any = [HTTPHeader("If-Match", "*")]
            try await firm.json("PUT", "/objects/doc%3Aplan", token: bob, json: "1", headers: any, status: 403)
            try await firm.json("GET", "/objects/doc%3Aplan?as=user:ann", token: bob, status: 403)
            try await firm.json("PUT", "/objects/doc%3Aplan?as=user:ann", token: bob, json: "1", headers: any, status: 403)
        }
    }
}
