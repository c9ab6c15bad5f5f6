import Credentials
import Events
import Foundation
import HTTPServer
import Muniment
import Permissions
import Projections
import RandomHistories
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: every route and every kind of caller, after random histories")
struct TaintTests {
    @Test("E15 no response contains a value, name or entry that the caller may not know according to the naive model")
    func nothingUnknownIsTold() async throws {
        var told = 0
        for number in 0..<TestSettings.taintedHistoryCount {
            let seed = TestSettings.firstSeed &+ UInt64(number)
            try await withService { fixture in
                var run = try TaintedHistory(seed: seed, fixture)
                try run.write(steps: 40)
                try await run.askEverything()
                told += run.told
            }
        }
        // The test proves nothing if the store holds no secrets.
        #expect(told > 0)
    }
}

/// A random history. Each written value has a unique mark.
private struct TaintedHistory {
    /// A mark in a value: the object, and the revisions at which it was written and removed.
    private struct Mark {
        let object: Name
        let from: Revision
        var until = Revision.open
        /// The names of objects that the value links to.
        var linked: Set<Name> = []
    }

    let seed: UInt64
    private let fixture: ServiceFixture
    private let store: Store
    private var history: RandomHistory
    private var model = NaiveModel()
    private var marks: [String: Mark] = [:]
    private var markCount = 0
    /// The commit that created each existing object.
    private var births: [Name: Revision] = [:]
    /// By subject, the objects of the events that name it.
    private var named: [Name: Set<Name>] = [:]
    private var objects: Set<Name> = []
    private var roles: Set<Name> = []
    private var callers: Set<Name> = [.anonymous]
    private(set) var told = 0

    init(seed: UInt64, _ fixture: ServiceFixture) throws {
        (self.seed, self.fixture) = (seed, fixture)
        history = RandomHistory(seed: seed, preset: .locked)
        fixture.clock.now = max(fixture.clock.now, history.start)
        store = try #require(try fixture.service.data.store(.default)).store
        try follow()
    }

    // MARK: Writing

    mutating func write(steps: Int) throws {
        // At the upper levels everyone has the privileges that entries on objects allow.
        let levels = ["read", "query", "create", "update", "delete", "setPermissions"]
        _ = try store.commit(Transaction("user:root", [.grant(.everyone, on: .store, levels)]))
        for _ in 0..<steps {
            let step = history.next()
            fixture.clock.now = max(fixture.clock.now, step.time)
            callers.insert(step.caller)
            let changes = step.changes.flatMap { change -> [Change] in
                switch change {
                case .defineClass(let name, var settings):
                    settings.properties = (settings.properties ?? []) + ["mark"]
                    return [.defineClass(name, settings), .grant(.everyone, on: .class(name), levels)]
                case .changeClass(let name, var settings):
                    if settings.properties != nil { settings.properties?.append("mark") }
                    return [.changeClass(name, settings)]
                default: return [marked(change)]
                }
            }
            do { _ = try store.commit(Transaction(step.caller, changes)) } catch is Refusal { history.takeBack() }
            try follow()
        }
    }

    private mutating func marked(_ change: Change) -> Change {
        switch change {
        case .createObject(let name, let parent, let value, let owner):
            return .createObject(name, parent: parent, value: marked(value), owner: owner)
        case .writeObject(let name, .value(let value), let revision):
            return .writeObject(name, .value(marked(value)), expectedRevision: revision)
        case .writeObject(let name, .merge(let value), let revision):
            return .writeObject(name, .merge(marked(value)), expectedRevision: revision)
        default: return change
        }
    }

    private mutating func marked(_ value: JSONValue?) -> JSONValue {
        markCount += 1
        var members: JSONObject = [:]
        if case .object(let own)? = value { members = own }
        members["mark"] = .string("mark\(markCount)x")
        return .object(members)
    }

    /// Applies new log records to the model, and records the marks.
    private mutating func follow() throws {
        var commits: [DescribedNames] = []
        let head = try store.head.revision
        let first = model.commitCount == 0 ? Revision.genesis : model.head.next
        guard first <= head else { return }
        try store.log(from: first, to: head) { commits.append(try DescribedNames($0)) }
        for described in commits {
            try model.append(described.commit)
            let revision = described.commit.revision
            objects.formUnion(described.objects)
            roles.formUnion(described.roles)
            for name in described.created { births[name] = revision }
            for (subject, objects) in described.named { named[subject, default: []].formUnion(objects) }
            for (object, json) in described.values {
                for (text, mark) in marks where mark.object == object && mark.until == .open { marks[text]?.until = revision }
                if let text = json.firstRange(of: /mark[0-9]+x/).map({ String(json[$0]) }) {
                    let linked = json.matches(of: /"\$ref":"([^"]+)"/).map { Name(String($0.output.1)) }
                    marks[text] = Mark(object: object, from: revision, linked: Set(linked))
                }
            }
        }
    }

    /// The names of the objects that a commit concerns.
    private struct DescribedNames {
        let commit: Commit
        var objects: [Name] = []
        var roles: [Name] = []
        var created: [Name] = []
        var named: [(subject: Name, objects: [Name])] = []
        var values: [(object: Name, json: String)] = []

        init(_ described: DescribedCommit) throws {
            commit = described.commit
            for event in commit.events {
                if let subject = event.effect.subject {
                    named.append((Name(try described.name(subject)), try event.effect.objects.map { Name(try described.name($0)) }))
                }
                switch event {
                case .objectCreated(let event):
                    let name = Name(try event.object.name ?? described.name(event.object.id))
                    objects.append(name)
                    created.append(name)
                    values.append((name, String(decoding: event.value ?? [], as: UTF8.self)))
                case .objectWritten(let event):
                    values.append((Name(try described.name(event.object)), String(decoding: event.value, as: UTF8.self)))
                case .roleCreated(let role):
                    let name = Name(try role.name ?? described.name(role.id))
                    roles.append(name)
                    created.append(name)
                default: break
                }
            }
        }
    }

    // MARK: Answers of the naive model

    private var now: Instant { max(fixture.clock.now, model.time(of: model.head)) }

    private func view(_ revision: Revision? = nil) -> NaiveView {
        model.view(revision.map { .revision($0) } ?? .head, now: now)
    }

    private func mayDo(_ caller: Name, _ privilege: String, _ object: Name, at revision: Revision? = nil) -> Bool {
        view(revision).check(caller, [privilege], on: object)
    }

    /// Returns whether a caller may know a mark. The caller must have read access now, to the same object, and must have had it
    /// while the mark was in the value.
    private func mayKnow(_ caller: Name, _ mark: Mark) -> Bool {
        guard mayDo(caller, "read", mark.object), let birth = births[mark.object], birth <= mark.from else { return false }
        let last = mark.until == .open ? model.head.rawValue : max(mark.from.rawValue, mark.until.rawValue - 1)
        return (mark.from.rawValue...last).contains { mayDo(caller, "read", mark.object, at: Revision($0)) }
    }

    /// Returns whether a caller knows the name: it ever had a privilege on the object, was a member of the role, or was named with
    /// either.
    private func hasKnown(_ caller: Name, _ name: Name) -> Bool {
        named[caller]?.contains(name) == true
            || (0...model.head.rawValue).contains { number in
                let then = view(Revision(number))
                return (name.kind == .role && then.counts(caller, as: name)) || !then.privileges(of: caller, on: name).isEmpty
            }
    }

    // MARK: Asking

    mutating func askEverything() async throws {
        let administrators = Set(try store.administrators)
        let points =
            Array(stride(from: 0, through: model.head.rawValue, by: max(1, Int(model.head.rawValue / 6)))) + [model.head.rawValue]
        for caller in callers.subtracting(administrators).sorted() {
            let token = try fixture.token(.act(as: caller))
            let secret = Set(marks.filter { !mayKnow(caller, $0.value) }.keys)
            // Names with several character encodings are skipped, because this test compares raw text.
            let plain = objects.union(roles).filter { $0.text.utf8.allSatisfy { $0 < 128 } }
            // A caller who may know a value may know the names that it links to.
            let linked = marks.values.filter { mayKnow(caller, $0) }.reduce(into: Set<Name>()) { $0.formUnion($1.linked) }
            // A caller who may set permissions on an object may know who has access to it.
            let unknown = plain.subtracting(linked).filter { name in
                !hasKnown(caller, name) && !mayDo(caller, "setPermissions", name)
                    && !(named[name] ?? []).contains { mayDo(caller, "setPermissions", $0) }
            }
            for object in objects.union(roles).union([.store]).sorted() {
                try await ask(about: object, as: caller, token, points, secret, unknown)
            }
            let own = "\"subject\":\"\(caller)\",\"privilege\":\"read\""
            var requests = [
                Request("GET", "/history?name=\(caller)"), Request("GET", "/diff?name=\(caller)&from=0"),
                Request("GET", "/notices"),
                Request("GET", "/audit/subject?subject=\(caller)"), Request("GET", "/audit"), Request("GET", "/export"),
                Request("GET", "/administrators"), Request("POST", "/what", "{\(own)}"),
            ]
            for className in ["doc", "box", "rec"] {
                for point in points {
                    requests.append(
                        Request("POST", "/query", #"{"class":"\#(className)","limit":1,"order":["mark"],"at":\#(point)}"#))
                    requests.append(Request("POST", "/query", #"{"class":"\#(className)","at":\#(point)}"#))
                }
            }
            for request in requests { _ = try await send(request, as: caller, token, secret, unknown) }
        }
    }

    private struct Request {
        let method: String
        let target: String
        let body: String?

        init(_ method: String, _ target: String, _ body: String? = nil) {
            (self.method, self.body) = (method, body)
            self.target = target.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? target
        }
    }

    /// Sends every request about one object, for one caller.
    private mutating func ask(
        about object: Name, as caller: Name, _ token: String, _ points: [UInt64], _ secret: Set<String>, _ unknown: Set<Name>
    ) async throws {
        let isOpen = mayDo(caller, "setPermissions", object)
        let birth = births[object] ?? .genesis
        let asked = "\"object\":\"\(object)\",\"privilege\":\"read\""
        // The access may come from a nested role.
        let unknown = isOpen ? unknown.filter { $0 != object && $0.kind != .role } : unknown.subtracting([object])
        let path = object.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? object.text
        var requests = [
            Request("GET", "/history?name=\(object)"), Request("GET", "/diff?name=\(object)&from=0"),
            Request("GET", "/audit/access?object=\(object)&privileges=read"),
            Request("GET", "/audit/changes?subject=\(caller)&object=\(object)&privileges=read"),
            Request("GET", "/audit/changes?subject=user:u1&object=\(object)&privileges=read"),
            Request("POST", "/explain", "{\"subject\":\"\(caller)\",\(asked)}"),
            Request("POST", "/what-if", #"{"transactions":[{"as":"user:root","do":[{"op":"deleteRole","role":"r1"}]}]}"#),
            Request("POST", "/check", "{\"subject\":\"\(caller)\",\(asked)}"),
        ]
        for point in points {
            requests += [
                Request("GET", "/history?name=\(object)&at=\(point)"), Request("GET", "/diff?name=\(object)&from=\(point)"),
                Request("POST", "/explain", "{\"subject\":\"\(caller)\",\(asked),\"at\":\(point)}"),
                Request("POST", "/explain", "{\"subject\":\"user:u1\",\(asked),\"at\":\(point)}"),
                Request(
                    "POST", "/explanations",
                    "{\"questions\":[{\"subject\":\"\(caller)\",\(asked)},{\"subject\":\"\(caller)\",\(asked)}],\"at\":\(point)}"),
                Request("GET", "/audit/access?object=\(object)&privileges=read&from=\(point)"),
            ]
            let value = try await sendRaw("GET", "/objects/\(path)?at=\(point)", nil, as: caller, token, secret, unknown)
            #expect(value.status < 500, "\(seed)")
            let entries = try await sendRaw("GET", "/objects/\(path)/entries?at=\(point)", nil, as: caller, token, secret, unknown)
            let who = try await send(Request("POST", "/who", "{\(asked),\"at\":\(point)}"), as: caller, token, secret, unknown)
            #expect((entries.status == 200) == isOpen && (who.status == 200) == isOpen, "\(seed) \(caller) \(object): \(who.text)")
            guard isOpen else { continue }
            let isPast = Revision(point) < birth
            let expected = isPast ? [] : view(Revision(point)).entries(on: object)
            let rows = try list(entries.json["entries"])
            #expect(rows.count == expected.count, "\(seed) \(caller) \(object) at \(point): \(entries.text)")
            let subjects = isPast ? [] : view(Revision(point)).subjects(with: ["read"], on: object)
            #expect(
                try who.json["subjects"] == .array(subjects.map { .string($0.text) }),
                "\(seed) \(caller) \(object) at \(point): \(who.text) instead of \(subjects)")
        }
        for request in requests { _ = try await send(request, as: caller, token, secret, unknown) }
    }

    private func list(_ value: JSONValue?) -> [JSONValue] { if case .array(let values)? = value { values } else { [] } }

    private mutating func send(
        _ request: Request, as caller: Name, _ token: String, _ secret: Set<String>, _ unknown: Set<Name>
    ) async throws -> ServiceSupport.Answer {
        try await sendRaw(request.method, request.target, request.body, as: caller, token, secret, unknown)
    }

    /// Sends a request, and searches every byte of the response.
    private mutating func sendRaw(
        _ method: String, _ target: String, _ body: String?, as caller: Name, _ token: String, _ secret: Set<String>,
        _ unknown: Set<Name>
    ) async throws -> ServiceSupport.Answer {
        let answer = try await fixture.direct.send(method, "/v1/stores/default" + target, token: token, json: body)
        #expect(answer.status < 500, "MUNIMENT_SEED=\(seed) \(caller) \(method) \(target) \(body ?? ""): \(answer.text)")
        let text = answer.text + answer.headers.map { $0.value }.joined(separator: "\n") + OpaqueCursors.decoded(answer.text)
        for mark in text.matches(of: /mark[0-9]+x/).map({ String($0.output) }) {
            told += 1
            if secret.contains(mark) {
                Issue.record("MUNIMENT_SEED=\(seed) \(caller) \(method) \(target) \(body ?? "") tells \(mark): \(answer.text)")
            }
        }
        let asked = target + (body ?? "")
        for name in unknown where answer.text.contains("\"\(name)\"") && !asked.contains(name.text) {
            Issue.record("MUNIMENT_SEED=\(seed) \(caller) \(method) \(target) \(body ?? "") tells \(name): \(answer.text)")
        }
        return answer
    }
}

/// Decodes cursors, which are opaque but not secret.
private enum OpaqueCursors {
    static func decoded(_ text: String) -> String {
        guard let range = text.firstRange(of: /"next":"[A-Za-z0-9_-]+"/) else { return "" }
        var base = text[range].dropFirst(8).dropLast().replacing("-", with: "+").replacing("_", with: "/")
        while base.count % 4 != 0 { base += "=" }
        return Data(base64Encoded: String(base)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
