import Credentials
import Events
import Foundation
import MunimentClient
import Permissions
import Projections
import ServiceSupport
import TestSupport

@testable import Muniment

/// A random schedule of a service and its clients, each in a process of its own, with a proxy between them that cuts connections.
final class SocketSchedule {
    /// What happened in schedules.
    struct Counts {
        var (committed, refused, cuts, kills, serviceKills) = (0, 0, 0, 0, 0)

        mutating func add(_ other: Counts) {
            committed += other.committed
            refused += other.refused
            cuts += other.cuts
            kills += other.kills
            serviceKills += other.serviceKills
        }
    }

    /// A client process, and what it has acknowledged.
    private struct Client {
        let user: Name
        let token: String
        let folder: String
        var process: Helper
        /// The numbers of the transactions that `write` has returned.
        var written: Set<Int64> = []
    }

    /// A promise that is not kept.
    struct Broken: Error, CustomStringConvertible { let description: String }

    private(set) var counts = Counts()
    private var random: SplitMix64
    private let directory: String
    private let administrator: String
    private let proxy: CuttingProxy
    private var service: ServedProcess
    private var clients: [Client] = []
    /// The number of the last value. Each value has a text that occurs once, so that a search finds each copy.
    private var value: Int64 = 0

    private static let users: [Name] = ["user:ann", "user:ben", "user:eve"]
    private static let names: [Name] = (0..<6).map { Name("doc:\($0)") }
    private static let folders: [Name] = ["doc:4", "doc:5"]
    /// Every user may read it. Its last value shows that a client has everything.
    private static let last: Name = "doc:last"

    init(seed: UInt64, _ folder: String) throws {
        // A write to a client that has ended throws an error, and does not end the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        random = SplitMix64(seed: seed)
        directory = folder + "/data"
        let store = try Store.create(at: directory + "/default", preset: .locked)
        let all = ["read", "update", "create", "delete", "setPermissions"]
        var changes: [Change] = [
            .defineClass("doc", ClassSettings(objectACL: .required, creatorPrivileges: ["read", "update", "delete"])),
            .grant(.everyone, on: .store, all), .grant(.everyone, on: "class:doc", all), .createObject(Self.last),
            .grant(.everyone, on: Self.last, ["read"]),
        ]
        for user in Self.users { changes.append(.register(user)) }
        for name in Self.names {
            changes.append(.createObject(name))
            for user in Self.users { changes.append(.grant(user, on: name, ["read", "update"])) }
        }
        try store.commit(Transaction("user:root", changes))
        try store.close()
        let tokens = TokenRegistry(dataDirectory: directory)
        administrator = try tokens.create(stores: .all, right: .administer, at: .newYear).secret
        proxy = try CuttingProxy(seed: ~seed)
        service = try ServedProcess(directory)
        proxy.target = service.port
        for user in Self.users {
            let own = folder + "/" + user.text.dropFirst("user:".count)
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            let token = try tokens.create(stores: .all, right: .act(as: user), at: .newYear).secret
            let process = try Self.start(user, token, own, proxy.port)
            clients.append(Client(user: user, token: token, folder: own, process: process))
        }
    }

    private static func start(_ user: Name, _ token: String, _ folder: String, _ port: UInt16) throws -> Helper {
        let process = try Helper.start(
            ["replica-client", "http://127.0.0.1:\(port)", token, user.text, folder + "/replica"], hasInput: true)
        guard try process.line() == "ready" else { throw Broken(description: "the client of \(user) does not start") }
        return process
    }

    /// Ends all processes.
    func stop() {
        for client in clients { client.process.kill() }
        proxy.stop()
        service.kill()
    }

    /// Runs the schedule, delivers everything without faults, and checks every promise.
    func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
        proxy.hasFaults = false
        proxy.cutAll()
        // The transactions of a client change the store for the others, so all clients are asked again after all transactions have ended.
        var states: [JSONValue] = []
        for _ in 0..<2 {
            let mark = nextValue()
            try await change([["op": .string("writeObject"), "object": .string(Self.last.text), "value": mark]], mustSucceed: true)
            states = try clients.map { try state(of: $0, until: mark) }
        }
        counts.cuts = proxy.cuts
        for client in clients { client.process.kill() }
        service.signal(SIGTERM)
        guard service.exitCode() == 0 else { throw Broken(description: "the service did not stop: \(service.errors)") }
        let store = try Store.open(at: directory + "/default")
        defer { try? store.close() }
        for (client, state) in zip(clients, states) {
            try check(client, state, equals: store)
            try check(client, ends: state, in: store)
            try checkFiles(of: client, state)
        }
    }

    // MARK: Steps

    private func step() async throws {
        let index = random.number(0...clients.count - 1)
        switch random.number(0...99) {
        case 0..<40: try write(index)
        case 40..<68: try await changeAccess()
        case 68..<76: proxy.cutAll()
        case 76..<80: try kill(index)
        case 80..<82: try killService()
        default: try await Task.sleep(for: .milliseconds(random.number(1...60)))
        }
    }

    private func write(_ index: Int) throws {
        let changes = (0..<random.number(1...2)).flatMap { _ in randomChanges(clients[index].user) }.map { JSONValue.object($0) }
        try clients[index].process.write(line(["do": .array(changes)]))
        // Sometimes the client is killed before it answers.
        if random.chance(percent: 8) {
            usleep(UInt32(random.number(0...20_000)))
            return try kill(index)
        }
        let answer = try clients[index].process.line() ?? "nothing"
        guard answer.hasPrefix("written "), let id = Int64(answer.dropFirst("written ".count)) else {
            throw Broken(description: "the client of \(clients[index].user) answers \(answer)")
        }
        clients[index].written.insert(id)
    }

    /// Returns changes with an effect: only they are in the log.
    private func randomChanges(_ user: Name) -> [JSONObject] {
        let name = JSONValue.string(random.one(of: Self.names).text)
        func write(_ member: String) -> JSONObject { ["op": .string("writeObject"), "object": name, member: nextValue()] }
        switch random.number(0...9) {
        case 0...1:
            let created = JSONValue.string("doc:\(user.text.dropFirst("user:".count))-\(value)")
            return [["op": .string("createObject"), "object": created, "value": nextValue()]]
        case 2...4: return [write("value")]
        case 5...8: return [write("merge")]
        default:
            let parent = JSONValue.string(random.one(of: Self.folders).text)
            return [["op": .string("moveObject"), "object": name, "parent": parent], write("merge")]
        }
    }

    /// Changes values and access as the administrator.
    private func changeAccess() async throws {
        let (name, user) = (JSONValue.string(random.one(of: Self.names).text), JSONValue.string(random.one(of: Self.users).text))
        switch random.number(0...9) {
        case 0...3: try await change([["op": .string("revoke"), "subject": user, "object": name]])
        case 4...7:
            let privileges = random.one(of: [["read"], ["read", "update"], ["read", "update"]]).map { JSONValue.string($0) }
            try await change([["op": .string("grant"), "subject": user, "object": name, "privileges": .array(privileges)]])
        default: try await change([["op": .string("writeObject"), "object": name, "value": nextValue()]])
        }
    }

    private func kill(_ index: Int) throws {
        counts.kills += 1
        clients[index].process.kill()
        let client = clients[index]
        clients[index].process = try Self.start(client.user, client.token, client.folder, proxy.port)
    }

    private func killService() throws {
        counts.serviceKills += 1
        service.kill()
        service = try ServedProcess(directory)
        proxy.target = service.port
    }

    private func change(_ changes: [JSONObject], mustSucceed: Bool = false) async throws {
        let address = try ServiceAddress("http://127.0.0.1:\(service.port)")
        let body: JSONObject = ["as": .string("user:root"), "do": .array(changes.map { .object($0) })]
        let request = ServiceRequest(
            .post, "/v1/stores/default/transactions", headers: ["Content-Type": "application/json"],
            body: try JSONText.encode(.object(body)))
        do {
            _ = try await ServiceConnection(address, tokens: FixedToken(administrator)).send(request, effect: .change)
        } catch { if mustSucceed { throw error } }
    }

    private func nextValue() -> JSONValue {
        value += 1
        return .object([random.one(of: ["p", "q"]): .string("<\(value)>")])
    }

    private func line(_ command: JSONObject) throws -> String {
        String(decoding: try JSONText.encode(.object(command)), as: UTF8.self) + "\n"
    }

    // MARK: Checks

    private func state(of client: Client, until value: JSONValue) throws -> JSONValue {
        try client.process.write(line(["until": .string(Self.last.text), "value": value]))
        let answer = try client.process.line() ?? "nothing"
        guard answer.hasPrefix("state ") else { throw Broken(description: "the client of \(client.user) answers \(answer)") }
        return try JSONText.decode(Array(answer.dropFirst("state ".count).utf8), limit: .max)
    }

    private func check(_ client: Client, _ state: JSONValue, equals store: Store) throws {
        let expected = try store.read { snapshot -> JSONObject in
            var objects = JSONObject()
            for name in try snapshot.objects(for: client.user, with: ["read"], class: "doc").map({ Name($0) }) {
                let place = try snapshot.objectID(name).flatMap { try snapshot.reader.place(of: $0) }
                let above = try place?.parent.map { Name(try snapshot.reader.name(of: $0)) }
                let parent = try above.flatMap { try snapshot.check(client.user, ["read"], on: $0).isAllowed ? $0 : nil }
                objects[name.text] = .object([
                    "value": try snapshot.value(of: name, as: client.user), "parent": parent.map { .string($0.text) } ?? .null,
                    "privileges": .array(try snapshot.privileges(of: client.user, on: name).sorted().map { .string($0) }),
                ])
            }
            return objects
        }
        guard state["objects"] == .object(expected) else {
            throw Broken(description: "\(client.user) has \(state["objects"] as Any), and the service shows \(expected)")
        }
    }

    /// Checks that the log has each committed transaction once, and no other transaction of the client.
    private func check(_ client: Client, ends state: JSONValue, in store: Store) throws {
        var inLog: [Int64: Int64] = [:]
        let actor = try store.read { try $0.reader.caller(client.user) }
        try store.log(from: .genesis, to: store.head.revision) { entry in
            guard entry.commit.actor == actor, let key = entry.commit.origin.idempotencyKey,
                let id = key.split(separator: "-").last.flatMap({ Int64($0) })
            else { return }
            guard inLog.updateValue(Int64(entry.commit.revision.rawValue), forKey: id) == nil else {
                throw Broken(description: "transaction \(id) of \(client.user) was committed twice")
            }
        }
        guard case .array(let ends)? = state["ends"] else { throw Broken(description: "no ends") }
        var known: Set<Int64> = []
        for end in ends {
            guard case .integer(let id)? = end["id"] else { continue }
            known.insert(id)
            let revision: Int64? = if case .integer(let revision)? = end["revision"] { revision } else { nil }
            if revision == nil { counts.refused += 1 } else { counts.committed += 1 }
            guard inLog[id] == revision else {
                throw Broken(description: "\(client.user): transaction \(end) is in the log at \(inLog[id] as Any)")
            }
        }
        guard client.written.isSubset(of: known), Set(inLog.keys).isSubset(of: known) else {
            throw Broken(
                description:
                    "\(client.user) has the ends \(known.sorted()), wrote \(client.written.sorted()), log \(inLog.keys.sorted())")
        }
    }

    /// Checks that the files have only the values of the confirmed state and the inputs that were given back.
    private func checkFiles(of client: Client, _ state: JSONValue) throws {
        let known = FileBytes.marks(try JSONText.encode(state))
        for file in try FileBytes.files(below: client.folder) {
            let lost = FileBytes.marks(file.bytes).subtracting(known)
            if !lost.isEmpty {
                throw Broken(description: "\(client.user): \(file.path) has \(lost.sorted()), which the user may not read")
            }
        }
    }
}
