public import Events
public import Permissions

extension NaiveView {
    /// The answer to any question.
    public func answer(_ question: Question) -> Answer {
        switch question {
        case .check(let subject, let privileges, let object): .verdict(check(subject, privileges, on: object))
        case .privileges(let subject, let object): .privileges(privileges(of: subject, on: object))
        case .subjects(let privileges, let object): .names(subjects(with: privileges, on: object))
        case .objects(let subject, let privileges, let className):
            .names(objects(for: subject, with: privileges, className: className))
        case .entries(let object): .entries(entries(on: object))
        case .members(let role): .names(members(of: role))
        case .value(let object, let caller):
            switch value(of: object, as: caller) {
            case .success(let value): .value(value)
            case .failure(let refusal): .refused(refusal.code)
            }
        case .list(let className, let conditions, let caller):
            switch list(className, where: conditions, as: caller) {
            case .success(let names): .names(names)
            case .failure(let refusal): .refused(refusal.code)
            }
        }
    }

    public func check(_ subject: Name, _ privileges: [String], on object: Name) -> Bool {
        guard isCaller(subject), let object = existing(object), let wanted = state.privileges(privileges) else { return false }
        return access(of: subject)(object).isSuperset(of: wanted)
    }

    public func privileges(of subject: Name, on object: Name) -> [String] {
        guard isCaller(subject), let object = existing(object) else { return [] }
        return state.privilegeNames.names(of: access(of: subject)(object))
    }

    public func subjects(with privileges: [String], on object: Name) -> [Name] {
        guard let object = existing(object), let wanted = state.privileges(privileges) else { return [] }
        func has(_ subject: Name) -> Bool {
            access(of: subject, administrators: false)(object).isSuperset(of: wanted)
        }
        if has(.anonymous) { return [.anonymous] }
        if has(.everyone) { return [.everyone] }
        return state.principals.map { state.names.name(of: $0) }.filter(has).sorted()
    }

    public func objects(for subject: Name, with privileges: [String], className: String? = nil) -> [Name] {
        guard isCaller(subject), let wanted = state.privileges(privileges) else { return [] }
        let access = access(of: subject)
        return namesOfObjects(ofClass: className) { access($0).isSuperset(of: wanted) }
    }

    public func entries(on object: Name) -> [EntryRow] {
        guard let object = existing(object) else { return [] }
        var rows: [EntryRow] = []
        for (subject, entry) in state.entries[object] ?? [:] {
            for end in Set(entry.values) where end > now {
                var privileges: Privileges = []
                for (privilege, itsEnd) in entry where itsEnd == end { privileges.formUnion(privilege) }
                let names = state.privilegeNames.names(of: privileges.intersection(state.grantable(on: object)))
                let isPermanent = state.permanent[object]?[subject]?.isEmpty == false
                rows.append(
                    EntryRow(
                        subject: state.names.name(of: subject), privileges: names, until: end == .forever ? nil : end,
                        isPermanent: isPermanent))
            }
        }
        for id in state.attached[object] ?? [] {
            guard let permission = state.permissions[id] else { continue }
            rows.append(
                EntryRow(
                    subject: state.names.name(of: permission.subject),
                    privileges: state.privilegeNames.names(of: permission.privileges), permission: state.names.name(of: id)))
        }
        return rows.sorted { comesBefore($0, $1) }
    }

    public func members(of role: Name) -> [Name] {
        guard let id: PrincipalID = state.names.id(of: .role(role.text)) else { return [] }
        return (state.roles[id] ?? []).map { state.names.name(of: $0) }.sorted()
    }

    /// Whether a caller is a member of a role, directly or through others.
    public func counts(_ caller: Name, as role: Name) -> Bool {
        state.names.id(of: role, as: PrincipalID.self).map(subjects(of: caller).contains) ?? false
    }

    public func value(of object: Name, as caller: Name) -> Result<JSONValue, Refusal> {
        guard let id: ObjectID = state.names.id(of: object), let found = state.objects[id] else {
            return .failure(Refusal(.unknownObject, "there is no `\(object)`"))
        }
        guard access(of: caller)(id).contains(.read) else { return .failure(lacking(.anonymous == caller, "read", object)) }
        return .success(found.value)
    }

    public func list(
        _ className: String, where conditions: JSONValue? = nil, as caller: Name
    ) -> Result<[Name], Refusal> {
        guard let id: ClassID = state.names.id(of: .class(className)), state.classes[id] != nil else {
            return .failure(Refusal(.unknownClass, "the class `\(className)` does not exist"))
        }
        guard classLevel(caller, id).contains(.query) else {
            return .failure(lacking(.anonymous == caller, "query", .class(className)))
        }
        let access = access(of: caller)
        return .success(
            namesOfObjects(ofClass: className) { object in
                access(object).isSuperset(of: [.read, .query])
                    && satisfies(state.objects[object]?.value ?? .null, conditions ?? .object([:]))
            })
    }

    private func existing(_ name: Name) -> ObjectID? {
        state.names.id(of: name).flatMap { state.exists($0) ? $0 : nil }
    }

    func namesOfObjects(ofClass className: String?, where isWanted: (ObjectID) -> Bool) -> [Name] {
        let ofClass = state.objects.filter { className == nil || state.names.name(of: $0.value.classID) == .class(className!) }
        return ofClass.keys.filter(isWanted).map { state.names.name(of: $0) }.sorted()
    }

    private func lacking(_ isAnonymous: Bool, _ privilege: String, _ object: Name) -> Refusal {
        Refusal(isAnonymous ? .notAuthenticated : .noPrivilege, "`\(privilege)` on `\(object)` is missing")
    }
}

/// By subject, then expiry, then permission, each as text; missing values come first.
private func comesBefore(_ left: EntryRow, _ right: EntryRow) -> Bool {
    if left.subject != right.subject { return left.subject < right.subject }
    if left.until != right.until { return (left.until?.description ?? "") < (right.until?.description ?? "") }
    return (left.permission?.text ?? "").utf8.lexicographicallyPrecedes((right.permission?.text ?? "").utf8)
}
