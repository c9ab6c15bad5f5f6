public import Events
public import Permissions

/// All access paths of a caller, found by trying every combination. Each path is one line with its privileges.
extension NaiveView {
    public typealias Ways = [String: Privileges]

    /// Returns the paths that give some privileges on an existing object to a caller who is not an administrator, level by level.
    /// The privileges are numbers, because a wildcard also includes privileges defined later.
    public func ways(of caller: Name, _ wanted: Privileges, to object: Name) -> [DecidingLevel: Ways] {
        guard isCaller(caller), !wanted.isEmpty, let id: ObjectID = state.names.id(of: object),
            let classID = state.classID(of: id), let options = state.classes[classID]
        else { return [:] }
        let chains = chains(of: caller)
        let needed = wanted.isDisjoint(with: [.create, .delete]) ? wanted : wanted.union(.update)
        var part = objectWays(id, chains, wanted)
        if options.readThroughLinks, wanted.contains(.read) {
            for chain in linkChains(to: id, view(of: caller)) {
                part[chain.map { state.names.name(of: $0).text }.joined(separator: " <- ")] = .read
            }
        }
        return [
            .store: ways(on: .store, chains, needed, ""), .class: ways(on: ObjectID(classID), chains, wanted, ""), .object: part,
        ]
    }

    /// Returns every chain of memberships from a direct subject of the caller, grouped by the last subject.
    private func chains(of caller: Name) -> [PrincipalID: [String]] {
        var found: [PrincipalID: [String]] = [:]
        func follow(_ chain: [PrincipalID]) {
            guard let last = chain.last else { return }
            found[last, default: []].append(chain.map { state.names.name(of: $0).text }.joined(separator: " > "))
            for (role, members) in state.roles where members.contains(last) && !chain.contains(role) { follow(chain + [role]) }
        }
        var beginnings: Set<PrincipalID> = caller == .anonymous ? [.anonymous] : [.everyone, .anonymous]
        if let id: PrincipalID = state.names.id(of: caller) { beginnings.insert(id) }
        for beginning in beginnings { follow([beginning]) }
        return found
    }

    /// The access from the entries of one object itself. `behind` is the path of inheritance from that object.
    private func ways(on object: ObjectID, _ chains: [PrincipalID: [String]], _ wanted: Privileges, _ behind: String) -> Ways {
        var ways: Ways = [:]
        let place = state.names.name(of: object).text
        func add(_ subject: PrincipalID, _ what: String, _ privileges: Privileges) {
            let given = privileges.intersection(wanted)
            guard !given.isEmpty else { return }
            for chain in chains[subject] ?? [] { ways["\(chain): \(what) on \(place)\(behind)", default: []].formUnion(given) }
        }
        for (subject, entry) in state.entries[object] ?? [:] {
            for (privilege, end) in entry where end > now { add(subject, "entry until \(end)", privilege) }
        }
        for permission in state.attached[object] ?? [] {
            if let found = state.permissions[permission] {
                add(found.subject, state.names.name(of: permission).text, found.privileges)
            }
        }
        return ways
    }

    private func objectWays(
        _ object: ObjectID, _ chains: [PrincipalID: [String]], _ wanted: Privileges, _ behind: String = ""
    ) -> Ways {
        guard let options = state.options(of: object), !wanted.isEmpty else { return [:] }
        let name = state.names.name(of: object).text
        if options.objectACL == .none { return ["open \(name)\(behind)": wanted] }
        var all = ways(on: object, chains, wanted, behind)
        if let parent = state.objects[object]?.parent {
            all.merge(objectWays(parent, chains, wanted.intersection(options.inherits), " > \(name)" + behind)) { $0.union($1) }
        }
        return all
    }

    // MARK: Links

    /// The data about an object that a link needs: whether it is readable by itself, and whether it would be with read in its
    /// object part.
    private func view(of caller: Name) -> (ObjectID) -> (isReadable: Bool, passesOn: Bool) {
        let subjects = subjects(of: caller)
        return { object in
            guard let options = state.options(of: object) else { return (false, false) }
            let isReadable = effective(object, subjects, readable: []).contains(.read)
            let classReads = level(ObjectID(state.classID(of: object) ?? .store), subjects).contains(.read)
            let lower = options.composition == .widening || classReads
            return (isReadable, options.readThroughLinks && lower && level(.store, subjects).contains(.read))
        }
    }

    /// Every chain of links down to an object from one that is readable by itself, through objects that are readable by links.
    private func linkChains(
        to target: ObjectID, _ look: (ObjectID) -> (isReadable: Bool, passesOn: Bool)
    ) -> [[ObjectID]] {
        var found: [[ObjectID]] = []
        func follow(_ chain: [ObjectID]) {
            guard let last = chain.last else { return }
            for source in state.objects.keys where !chain.contains(source) && links(source, to: last) {
                let (isReadable, passesOn) = look(source)
                if isReadable { found.append(chain + [source]) }
                if passesOn { follow(chain + [source]) }
            }
        }
        follow([target])
        return found
    }
}

extension Witness {
    /// Returns the paths at a level, in the format of the naive model.
    public func ways(at level: DecidingLevel) -> NaiveView.Ways {
        paths(at: level).reduce(into: [:]) { $0[way($1), default: []].formUnion($1.privileges) }
    }

    private func way(_ path: WitnessedPath) -> String {
        if !path.sources.isEmpty { return ([object.text] + path.sources.map { name($0.object) }).joined(separator: " <- ") }
        var chain = path.beginning.map { [name($0)] } ?? []
        var (what, top) = ("", "")
        var descent: [String] = []
        for fact in path.facts.map(\.fact) {
            switch fact {
            case .member(_, let role): chain.append(name(role))
            case .entry(_, let object, _, let until): (what, top) = ("entry until \(until)", name(object))
            case .permission(let permission, _, _): what = name(permission)
            case .attachment(_, let object): top = name(object)
            case .child(let child, _): descent.append(" > " + name(child))
            case .object(let object, _) where top.isEmpty: top = name(object)
            default: break
            }
        }
        if path.beginning == nil { return "open \(top.isEmpty ? object.text : top)" + descent.joined() }
        return "\(chain.joined(separator: " > ")): \(what) on \(top)" + descent.joined()
    }
}
