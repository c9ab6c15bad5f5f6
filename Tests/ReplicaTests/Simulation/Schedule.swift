import Events
import Permissions
import TestSupport

@testable import MunimentReplica

/// A random schedule of a service and its clients, with every fault that the protocol must survive.
struct Schedule<Storage: ReplicaStorage> {
    private var random: SplitMix64
    private let service: SimulatedService
    private var clients: [SimulatedClient<Storage>] = []
    private var value: Int64 = 0

    private static var users: [Name] { ["user:ann", "user:ben"] }
    static var names: [Name] { ["doc:a", "doc:b", "doc:c", "doc:d", "folder:x", "folder:y"] }

    static var newNames: [Name] { ["doc:e", "doc:f", "doc:g", "doc:h", "note:a"] }

    init(seed: UInt64, _ service: SimulatedService, storage: () throws -> Storage) throws {
        random = SplitMix64(seed: seed)
        self.service = service
        for user in Self.users {
            try service.commit([.register(user), .addMember(user, to: "role:readers")])
            clients.append(try SimulatedClient(user, try storage(), service))
        }
        try service.commit([
            .createObject("folder:x"), .createObject("doc:a", parent: "folder:x"), .createObject("doc:b"), .createObject("doc:c"),
        ])
        for (user, name) in [("user:ann", "folder:x"), ("user:ann", "doc:b"), ("user:ben", "doc:b"), ("user:ben", "doc:c")] {
            try service.commit([.grant(Name(user), on: Name(name), ["read", "update", "delete", "setPermissions"])])
        }
        for _ in 0..<4 { try changeService() }
    }

    /// Runs the schedule, and then delivers everything: all clients must equal the service.
    ///
    /// - Parameter check: called for each client after each step.
    mutating func run(steps: Int, check: (inout SimulatedClient<Storage>) throws -> Void = { _ in }) throws {
        for _ in 0..<steps {
            try step()
            for index in clients.indices { try check(&clients[index]) }
        }
        try service.recordExpiries()
        for index in clients.indices { try clients[index].settle() }
        // The transactions of the later clients changed the store for the first ones.
        for index in clients.indices { try clients[index].settle() }
        for client in clients { try client.checkResets() }
    }

    private mutating func step() throws {
        let index = random.number(0...clients.count - 1)
        let isKilled = random.chance(percent: 4)
        let limit = isKilled ? random.number(0...3) : nil
        switch random.number(0...99) {
        case 0..<16: try changeService()
        case 16..<20:
            service.clock.advance(seconds: Int64(random.number(1...90)))
            if random.chance(percent: 70) { try service.recordExpiries() }
        case 20..<34: try clients[index].handle(.write(try transaction(of: clients[index])), killedAfter: limit)
        case 34..<36:
            if let id = clients[index].accepted.keys.sorted().last { try clients[index].handle(.withdraw(id), killedAfter: limit) }
        case 36..<41: try connect(index)
        case 41..<66: _ = try clients[index].deliver(killedAfter: limit)
        case 66..<72: try decide(index)
        case 72..<80: try answer(index, limit)
        case 80..<84: try lose(index)
        case 84..<87: try clients[index].cut()
        case 87..<90: try clients[index].deliverOldPart(&random)
        case 90..<93: try clients[index].kill()
        case 93..<98: if !clients[index].timers.isEmpty { try clients[index].fireTimer(0) }
        default: try backUpOrRestore()
        }
    }

    private mutating func connect(_ index: Int) throws {
        let wanted = random.chance(percent: 85)
        clients[index].wantsConnection = wanted
        try clients[index].handle(wanted ? .connect : .disconnect)
    }

    private mutating func decide(_ index: Int) throws {
        guard !clients[index].requests.isEmpty else { return }
        try clients[index].decide(random.number(0...clients[index].requests.count - 1))
    }

    private mutating func answer(_ index: Int, _ limit: Int?) throws {
        guard !clients[index].requests.isEmpty else { return }
        let request = random.number(0...clients[index].requests.count - 1)
        try clients[index].answer(request, isRepeated: random.chance(percent: 20), killedAfter: limit)
    }

    private mutating func lose(_ index: Int) throws {
        guard !clients[index].requests.isEmpty else { return }
        let request = random.number(0...clients[index].requests.count - 1)
        try clients[index].loseAnswer(request, reachesService: random.chance(percent: 50))
    }

    private mutating func backUpOrRestore() throws {
        guard random.chance(percent: 15) else { return }
        if random.chance(percent: 50) { return try service.backUp() }
        guard try service.restore() else { return }
        for index in clients.indices { try clients[index].cut() }
    }

    /// How many times each kind of event happened to the clients.
    var counts: [String: Int] { clients.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) } }

    // MARK: Random changes

    private mutating func nextValue() -> JSONValue {
        value += 1
        // Each value has a text that occurs once, so that a search for it finds each copy.
        return .object([random.one(of: ["p", "q"]): .string("<\(value)>")])
    }

    /// Changes the store as its administrator.
    private mutating func changeService() throws {
        let name = random.one(of: Self.names)
        let user: Name = random.chance(percent: 20) ? "role:readers" : random.one(of: Self.users)
        let privileges = random.one(of: [["read"], ["read", "update"], ["read", "update", "delete", "setPermissions"]])
        switch random.number(0...9) {
        case 0...1: try service.tryToCommit([.createObject(name, parent: parent(of: name), value: nextValue())])
        case 2: try service.tryToCommit([.writeObject(name, .value(nextValue()))])
        case 3...5:
            let until = random.chance(percent: 30) ? service.clock.now.later(seconds: Int64(random.number(1...100))) : nil
            try service.tryToCommit([.grant(user, on: name, privileges, until: until)])
        case 6...7: try service.tryToCommit([.revoke(user, on: name, random.chance(percent: 50) ? nil : ["update"])])
        case 8: try service.tryToCommit([.moveObject(name, parent: parent(of: name))])
        default:
            let member = random.one(of: Self.users)
            try service.tryToCommit(
                [random.chance(percent: 50) ? .addMember(member, to: "role:readers") : .removeMember(member, from: "role:readers")])
            if random.chance(percent: 20) { try service.tryToCommit([.deleteObject(name)]) }
        }
    }

    private mutating func parent(of name: Name) -> Name? {
        random.chance(percent: 50) ? random.one(of: ["folder:x", "folder:y"]) : nil
    }

    /// Returns the changes of a transaction of a client: usually ones that the client has the privileges for.
    private mutating func transaction(of client: SimulatedClient<Storage>) throws -> [ReplicaChange] {
        let confirmed = try client.confirmed()
        var changes: [ReplicaChange] = []
        for _ in 0..<(random.chance(percent: 70) ? 1 : random.number(2...3)) {
            let isSensible = random.chance(percent: 80)
            let names = Self.names + Self.newNames
            let usable = names.filter { confirmed[$0]?.privileges.contains("update", at: service.clock.now) ?? false }
            let name = isSensible && !usable.isEmpty ? random.one(of: usable) : random.one(of: names)
            switch random.number(0...11) {
            case 0...2:
                let absent = names.filter { confirmed[$0] == nil }
                let name = isSensible && !absent.isEmpty ? random.one(of: absent) : name
                changes.append(.create(name, value: nextValue(), parent: isSensible ? nil : parent(of: name)))
            case 3...5: changes.append(.write(name, nextValue()))
            case 6...8: changes.append(.merge(name, nextValue()))
            case 9: changes.append(.delete(name))
            case 10: changes.append(.move(name, to: parent(of: name)))
            default:
                let grant: JSONObject = [
                    "op": .string("grant"), "object": .string(name.text), "subject": .string(random.one(of: Self.users).text),
                    "privileges": .array([.string("read")]),
                ]
                changes.append(try ReplicaChange(grant))
            }
        }
        return changes
    }
}
