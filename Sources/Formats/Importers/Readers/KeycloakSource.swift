internal import Events

/// Reads a realm export of Keycloak, and admin events.
///
/// Realm roles are `role:NAME`, client roles `role:CLIENT/NAME`, groups `role:group:/PATH`. A composite role is a member of the roles
/// it contains, a group of its roles and of its parent. A disabled user is in no role. Events of memberships give them their times.
struct KeycloakSource {
    private let mapping: ImportMapping
    private var memberships: [SourceFacts.Membership: String] = [:]
    /// The names of users, by id.
    private var users: [String: String] = [:]
    private var disabled: Set<Name> = []
    /// The names of groups, by id.
    private var groups: [String: Name] = [:]
    /// The names of clients, by id.
    private var clients: [String: String] = [:]
    /// What each role of the store is in the realm.
    private var owners: [Name: String] = [:]
    private var facts = SourceFacts()

    static func read(_ files: [SourceFile], _ mapping: ImportMapping, into facts: inout SourceFacts) throws {
        var source = KeycloakSource(mapping: mapping, facts: facts)
        var events: [(place: String, event: JSONValue)] = []
        var (hasUsers, realmName): (Bool, JSONValue?) = (false, nil)
        for file in files {
            let json = try file.json()
            if case .array(let list) = json {
                events += list.enumerated().map { ("\(file.name): event \($0.offset + 1)", $0.element) }
            } else if case .object(let realm) = json, realm["realm"] != nil {
                guard realmName == nil || realmName == realm["realm"] else {
                    throw SourceFileError(file: file.name, "it is another realm; import each realm into a store of its own")
                }
                realmName = realm["realm"]
                try source.readRealm(realm, file)
                hasUsers = hasUsers || realm["users"] != nil
            } else {
                throw SourceFileError(file: file.name, "the file is neither a realm nor a list of admin events; export it again")
            }
        }
        guard hasUsers else {
            throw SourceFileError(
                file: files[0].name,
                "the realm has no `users`, and its import would remove every member; export it with `kc.sh export --users realm_file`"
            )
        }
        let periods = source.periods(of: events)
        for (membership, place) in source.memberships { source.add(membership, periods[membership] ?? [], isPresent: true, place) }
        for (membership, past) in periods where source.memberships[membership] == nil {
            source.add(membership, past, isPresent: false, "admin events")
        }
        facts = source.facts
    }

    private mutating func add(_ membership: SourceFacts.Membership, _ past: [SourceFacts.Period], isPresent: Bool, _ place: String)
    {
        for period in past where period.to != nil { facts.addMember(membership.member, to: membership.role, period, at: place) }
        guard isPresent, !disabled.contains(membership.member) else { return }
        facts.addMember(membership.member, to: membership.role, past.first { $0.to == nil } ?? .always, at: place)
    }
}

// MARK: - The realm

extension KeycloakSource {
    private mutating func readRealm(_ realm: JSONObject, _ file: SourceFile) throws {
        let roles = realm["roles"]
        for role in Self.list(roles?["realm"]) { try readRole(role, client: nil, file) }
        if case .object(let clients)? = roles?["client"] {
            for (client, list) in clients { for role in Self.list(list) { try readRole(role, client: client, file) } }
        }
        for group in Self.list(realm["groups"]) { try readGroup(group, parent: nil, file) }
        for user in Self.list(realm["users"]) {
            guard let name = user.text("username") else { continue }
            let (member, place) = (mapping.user(name), "\(file.name): user \(name)")
            if let id = user.text("id") { users[id] = name }
            switch user["enabled"] {
            case nil, .bool(true): break
            case .bool(false): disabled.insert(member)
            default:
                disabled.insert(member)
                facts.skip(place, "`enabled` is neither true nor false; correct it")
            }
            join(member, Self.roles(of: user), at: place)
            for path in Self.texts(user["groups"]) { join(member, [Self.group(path)], at: place) }
        }
        for user in Self.list(realm["federatedUsers"]) where !(Self.roles(of: user).isEmpty && Self.texts(user["groups"]).isEmpty) {
            facts.skip(
                "\(file.name): federated user \(user.text("id") ?? "")",
                "it has roles or groups, and the export does not contain its name; import the user into the realm, and export it again"
            )
        }
        for client in Self.list(realm["clients"]) {
            guard let name = client.text("clientId") else { continue }
            if let id = client.text("id") { clients[id] = name }
            guard client["authorizationSettings"] != nil else { continue }
            facts.skip("\(file.name): client \(name)", "authorization settings are policies, which are evaluated with each request")
        }
    }

    private mutating func readRole(_ role: JSONObject, client: String?, _ file: SourceFile) throws {
        guard let name = role.text("name") else { return }
        let (holder, place) = (Self.role(name, client), "\(file.name): role \(name)")
        try claim(holder, client.map { "a role of the client `\($0)`" } ?? "a realm role", file)
        facts.addRole(holder, at: place)
        guard case .object(let composites)? = role["composites"] else { return }
        join(holder, Self.texts(composites["realm"]).map { Self.role($0, nil) } + Self.clientRoles(composites["client"]), at: place)
    }

    private mutating func readGroup(_ group: JSONObject, parent: Name?, _ file: SourceFile) throws {
        guard let path = group.text("path") else { return }
        let (role, place) = (Self.group(path), "\(file.name): group \(path)")
        try claim(role, "a group", file)
        facts.addRole(role, at: place)
        if let id = group.text("id") { groups[id] = role }
        join(role, Self.roles(of: group) + [parent].compactMap { $0 }, at: place)
        for child in Self.list(group["subGroups"]) { try readGroup(child, parent: role, file) }
    }

    /// Refuses a name that the store would have for two things of the realm.
    private mutating func claim(_ role: Name, _ owner: String, _ file: SourceFile) throws {
        let first = owners.updateValue(owner, forKey: role) ?? owner
        if first == owner { return }
        throw SourceFileError(file: file.name, "`\(role.excerpt)` would be \(first) and \(owner); rename one of them")
    }

    private mutating func join(_ member: Name, _ roles: [Name], at place: String) {
        for role in roles { memberships[SourceFacts.Membership(role: role, member: member)] = place }
    }

    private static func roles(of holder: JSONObject) -> [Name] {
        texts(holder["realmRoles"]).map { role($0, nil) } + clientRoles(holder["clientRoles"])
    }

    private static func clientRoles(_ value: JSONValue?) -> [Name] {
        guard case .object(let clients)? = value else { return [] }
        return clients.flatMap { client, names in texts(names).map { role($0, client) } }
    }

    private static func role(_ name: String, _ client: String?) -> Name { Name("role:" + (client.map { $0 + "/" } ?? "") + name) }
    private static func group(_ path: String) -> Name { Name("role:group:" + path) }

    private static func list(_ value: JSONValue?) -> [JSONObject] {
        guard case .array(let elements)? = value else { return [] }
        return elements.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        guard case .array(let elements)? = value else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}

// MARK: - Admin events

extension KeycloakSource {
    /// Returns the periods of memberships that events began or ended. The last one has no end if no event ended it.
    private mutating func periods(
        of events: [(place: String, event: JSONValue)]
    ) -> [SourceFacts.Membership: [SourceFacts.Period]] {
        var periods: [SourceFacts.Membership: [SourceFacts.Period]] = [:]
        var read: [(time: Instant, isBegin: Bool, memberships: [SourceFacts.Membership])] = []
        for (place, event) in events {
            guard case .integer(let milliseconds)? = event["time"], case .string(let operation)? = event["operationType"],
                case .string(let kind)? = event["resourceType"], case .string(let path)? = event["resourcePath"],
                ["REALM_ROLE_MAPPING", "CLIENT_ROLE_MAPPING", "GROUP_MEMBERSHIP"].contains(kind),
                operation == "CREATE" || operation == "DELETE", event["error"] == nil
            else { continue }
            guard let found = memberships(path.split(separator: "/").map(String.init), event["representation"], kind) else {
                facts.skip(place, "its user, group or role is not in the realm, or its representation was not recorded")
                continue
            }
            let (microseconds, isTooLarge) = milliseconds.multipliedReportingOverflow(by: 1_000)
            guard !isTooLarge, Instant(microseconds: microseconds).hasText else {
                facts.skip(place, "its time \(milliseconds) is outside the years 0001 to 9999; correct it (in milliseconds)")
                continue
            }
            read.append((Instant(microseconds: microseconds), operation == "CREATE", found))
        }
        for (time, isBegin, memberships) in read.sorted(by: { $0.time < $1.time }) {
            for membership in memberships {
                var known = periods[membership] ?? []
                if isBegin, known.last.map({ $0.to != nil }) ?? true { known.append(SourceFacts.Period(from: time)) }
                if !isBegin, let last = known.last, last.to == nil, last.from != time { known[known.count - 1].to = time }
                periods[membership] = known
            }
        }
        return periods
    }

    /// Returns the memberships of an event; nil if they cannot be found, and none if the event has no roles.
    private func memberships(
        _ path: [String], _ representation: JSONValue?, _ kind: String
    ) -> [SourceFacts.Membership]? {
        guard path.count >= 3 else { return nil }
        let holder: Name? = path[0] == "users" ? users[path[1]].map { mapping.user($0) } : groups[path[1]]
        guard let holder else { return nil }
        // users/ID/groups/ID
        if kind == "GROUP_MEMBERSHIP" {
            return groups[path[path.count - 1]].map { [SourceFacts.Membership(role: $0, member: holder)] }
        }
        guard case .string(let text)? = representation, let json = try? JSONText.decode(Array(text.utf8)) else {
            // Keycloak records a change of client roles a second time, as one of realm roles without roles.
            return kind == "REALM_ROLE_MAPPING" && (representation == nil || representation == .null) ? [] : nil
        }
        // users/ID/role-mappings/realm, or users/ID/role-mappings/clients/ID
        let client = path.count > 4 ? clients[path[4]] : nil
        guard kind == "REALM_ROLE_MAPPING" || client != nil else { return nil }
        return Self.list(json).compactMap { $0.text("name") }.map {
            SourceFacts.Membership(role: Self.role($0, client), member: holder)
        }
    }
}
