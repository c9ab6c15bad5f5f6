internal import Events

/// Reads the teams, members and repositories of GitHub organizations, as JSON in the form of Peribolos (`orgs`).
///
/// Roles are `role:ORG:admins`, `role:ORG:members` and `role:ORG/TEAM`; a child team is a member of its parent. Objects are `org:ORG`
/// and, in it, `repo:ORG/NAME`. The five levels are nested, and custom privileges stand for triage and maintain.
struct GitHubSource {
    private static let levels: [String: [String]] = [
        "read": ["read"], "triage": ["read", "triage"], "write": ["read", "triage", "update"],
        "maintain": ["read", "triage", "update", "maintain"],
        "admin": ["read", "triage", "update", "maintain", "delete", "setPermissions"],
    ]

    /// Keys of Peribolos that state no access, with the beginnings of others in `settings`.
    private static let metadata: [String: Set<String>] = [
        "organization": ["billing_email", "company", "description", "email", "location", "name"],
        "repository": [
            "archived", "default_branch", "description", "homepage", "on_create", "previously", "private",
            "squash_merge_commit_message", "squash_merge_commit_title",
        ],
        "team": ["description", "previously", "privacy"],
    ]
    private static let settings = ["allow_", "has_", "members_can_"]

    private let file: SourceFile
    private let mapping: ImportMapping
    private var facts = SourceFacts()
    private var teamRoles: Set<Name> = []
    /// The first spelling of each login and repository, by its lowercase form: GitHub ignores case.
    private var spellings: [String: String] = [:]

    static func read(_ files: [SourceFile], _ mapping: ImportMapping, into facts: inout SourceFacts) throws {
        var spellings: [String: String] = [:]
        for file in files {
            let json = try file.json()
            guard case .object(let organizations)? = json["orgs"], case .object(let members) = json else {
                throw SourceFileError(
                    file: file.name, "the file has no `orgs`; write it with `peribolos --dump-full`, and convert the YAML to JSON")
            }
            for key in members.keys where key != "orgs" {
                facts.skip("\(file.name): \(Name(key).excerpt)", "the key is unknown; correct or remove it")
            }
            for (name, organization) in organizations {
                var source = GitHubSource(file: file, mapping: mapping, facts: facts, spellings: spellings)
                do throws(MemberProblem) { try source.read(organization, name) } catch {
                    throw SourceFileError(file: file.name, "\(error.inside("orgs.\(name)"))")
                }
                (facts, spellings) = (source.facts, source.spellings)
            }
        }
    }

    private mutating func read(_ organization: JSONValue, _ name: String) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(organization)
        let (object, place) = (Name("org:" + name), "\(file.name): orgs.\(name)")
        facts.addObject(object, at: place)
        for group in ["admins", "members"] {
            let role = Name.role(name + ":" + group)
            facts.addRole(role, at: place)
            for user in try fields.optionalTexts(group) ?? [] { facts.addMember(self.user(user), to: role, at: place) }
        }
        grant("admin", to: .role(name + ":admins"), on: object, at: place)
        let base = try fields.optionalText("default_repository_permission")
        if base == nil {
            facts.note("\(place) has no `default_repository_permission`: members get none, although GitHub's default is `read`")
        }
        if let base, base != "none" { grant(base, to: .role(name + ":members"), on: object, at: place) }
        for (repository, settings) in try fields.members("repos") {
            let object = Name("repo:\(name)/\(spelling(repository))")
            let place = "\(place).repos.\(repository)"
            facts.addObject(object, parent: Name("org:" + name), at: place)
            if settings == .null { continue }
            if settings["archived"] == .bool(true) {
                facts.note("\(place) is archived: in GitHub it can only be read, and in the store its levels are in effect")
            }
            var fields = try ObjectReader<MemberProblem>(settings)
            for (user, level) in try fields.members("collaborators") {
                grant(try level.readText(), to: self.user(user), on: object, at: place)
            }
            skip(fields.rest, of: "repository", at: place)
        }
        try readTeams(try fields.members("teams"), of: name, parent: nil, at: place + ".teams")
        skip(fields.rest, of: "organization", at: place)
    }

    /// Reports the keys of a part that are unknown.
    private mutating func skip(_ rest: JSONObject, of part: String, at place: String) {
        for key in rest.keys where !(Self.metadata[part] ?? []).contains(key) && !Self.settings.contains(where: key.hasPrefix) {
            facts.skip(
                "\(place).\(Name(key).excerpt)",
                "the key is unknown for \(part == "organization" ? "an" : "a") \(part); "
                    + "correct or remove it")
        }
    }

    private mutating func readTeams(
        _ teams: JSONObject, of organization: String, parent: Name?, at place: String
    ) throws(MemberProblem) {
        for (team, settings) in teams {
            var fields = try ObjectReader<MemberProblem>(settings)
            let (role, place) = (Name.role(organization + "/" + team), "\(place).\(team)")
            guard teamRoles.insert(role).inserted else {
                facts.skip(place, "another team of the organization has the name `\(Name(team).excerpt)`; rename one of them")
                continue
            }
            facts.addRole(role, at: place)
            if let parent { facts.addMember(role, to: parent, at: place) }
            for user in try (fields.optionalTexts("members") ?? []) + (fields.optionalTexts("maintainers") ?? []) {
                facts.addMember(self.user(user), to: role, at: place)
            }
            for (repository, level) in try fields.members("repos") {
                let object = Name("repo:\(organization)/\(spelling(repository))")
                facts.addObject(object, parent: Name("org:" + organization), at: place)
                grant(try level.readText(), to: role, on: object, at: "\(place).repos.\(repository)")
            }
            try readTeams(try fields.members("teams"), of: organization, parent: role, at: place + ".teams")
            skip(fields.rest, of: "team", at: place)
        }
    }

    private mutating func spelling(_ name: String) -> String {
        let key = name.lowercased()
        defer { spellings[key] = spellings[key] ?? name }
        return spellings[key] ?? name
    }

    private mutating func user(_ login: String) -> Name { mapping.user(spelling(login)) }

    private mutating func grant(_ level: String, to subject: Name, on object: Name, at place: String) {
        guard let privileges = mapping.privileges[ExactText(level)] ?? GitHubSource.levels[level] else {
            return facts.skip(
                place, "`\(Name(level).excerpt)` is not a level of GitHub; give its privileges in `privileges` of the mapping")
        }
        facts.addGrant(subject, privileges, on: object, at: place)
    }
}
