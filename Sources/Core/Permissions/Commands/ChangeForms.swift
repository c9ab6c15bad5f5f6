internal import Events

/// The wire form of changes: the only definition of the operations, their members, and their numbers in canonical bytes.
enum ChangeForms {
    static let createObject = ChangeForm(
        "createObject", 3, object, parent.optional(), value.optional(), owner.optional(), expectAbsent
    ) {
        // A creation always expects the object to be absent; the explicit member is accepted.
        object, parent, value, owner, _ in .createObject(object, parent: parent ?? nil, value: value, owner: owner)
    }
    /// The canonical number with `merge` is 5.
    static let writeObject = ChangeForm(
        "writeObject", 4, object, value.optional(.omitted), merge.optional(.omitted), expectRevision.optional()
    ) { object, value, patch, expected throws(MemberProblem) in
        .writeObject(object, try Change.Content(value: value, merge: patch), expectedRevision: expected)
    }
    static let moveObject = ChangeForm("moveObject", 6, object, parent, make: Change.moveObject)
    static let deleteObject = ChangeForm("deleteObject", 7, object, expectRevision.optional(.omitted), make: Change.deleteObject)
    static let setOwner = ChangeForm("setOwner", 8, object, owner, make: Change.setOwner)
    static let grant = ChangeForm(
        "grant", 9, subject, object, privileges, until.optional(), strict, expectRevision.optional(.omitted), make: Change.grant)
    static let setAccess = ChangeForm(
        "setAccess", 10, subject, object, privileges, expectRevision.optional(.omitted), make: Change.setAccess)
    static let revoke = ChangeForm(
        "revoke", 11, subject, object, privileges.optional(), strict, expectRevision.optional(.omitted), make: Change.revoke)
    static let createRole = ChangeForm("createRole", 12, role, make: Change.createRole)
    static let deleteRole = ChangeForm("deleteRole", 13, role, make: Change.deleteRole)
    static let addMember = ChangeForm("addMember", 14, role, member, strict) { .addMember($1, to: $0, strict: $2) }
    static let removeMember = ChangeForm("removeMember", 15, role, member, strict) { .removeMember($1, from: $0, strict: $2) }
    static let register = ChangeForm("register", 16, principal, make: Change.register)
    static let definePermission = ChangeForm("definePermission", 17, permission, subject, privileges, make: Change.definePermission)
    static let changePermission = ChangeForm("changePermission", 18, permission, subject, privileges, make: Change.changePermission)
    static let attachPermission = ChangeForm("attachPermission", 19, permission, object, make: Change.attachPermission)
    static let detachPermission = ChangeForm("detachPermission", 20, permission, object, make: Change.detachPermission)
    static let appointAdministrator = ChangeForm("appointAdministrator", 21, principal, make: Change.appointAdministrator)
    static let dismissAdministrator = ChangeForm("dismissAdministrator", 22, principal, make: Change.dismissAdministrator)
    static let defineClass = ofClass("defineClass", 1, make: Change.defineClass)
    static let changeClass = ofClass("changeClass", 2, make: Change.changeClass)

    typealias OfClass = ChangeForm<
        String, ObjectACL?, Composition?, ClassSettings.Inheritance?, [String]?, Bool?, Bool?, [String]?, [String]?,
        [ClassSettings.Alias]?
    >

    private static func ofClass(
        _ operation: String, _ number: UInt8, make: @escaping @Sendable (String, ClassSettings) -> Change
    ) -> OfClass {
        OfClass(
            operation, number, className, word("objectACL", ["none", "required"]).optional(),
            word("composition", ["narrowing", "widening"]).optional(), inherits.optional(), texts("creatorPrivileges").optional(),
            flag("creatorPermanent").optional(), flag("readThroughLinks").optional(), privileges.optional(),
            texts("properties").optional(), aliases.optional(.omitted)
        ) {
            make(
                $0,
                ClassSettings(
                    objectACL: $1, composition: $2, inherits: $3, creatorPrivileges: $4, creatorPermanent: $5,
                    readThroughLinks: $6, privileges: $7, properties: $8, aliases: $9))
        }
    }

    static let all: [any ReadableChangeForm] = [
        defineClass, changeClass, createObject, writeObject, moveObject, deleteObject, setOwner, grant, setAccess, revoke,
        createRole, deleteRole, addMember, removeMember, register, definePermission, changePermission, attachPermission,
        detachPermission, appointAdministrator, dismissAdministrator,
    ]
    static let byOperation = Dictionary(uniqueKeysWithValues: all.map { ($0.operation, $0) })

    // MARK: Members

    private static let object = name("object")
    private static let subject = name("subject")
    private static let owner = name("owner")
    private static let member = name("member")
    private static let principal = name("principal")
    private static let role = name("role", Name.role)
    private static let permission = name("permission", Name.permission)
    private static let parent = ChangePart<Name?>(
        "parent", .nameOrNull, json: { $0.map { .string($0.text) } ?? .null },
        read: {
            json throws(MemberProblem) in json == .null ? nil : Name(try json.readText())
        })
    private static let className = ChangePart(
        "class", .name, json: JSONValue.string,
        read: { json throws(MemberProblem) in
            try json.readText()
        })
    private static let value = ChangePart<JSONValue>("value", .value, json: { $0 }, read: { $0 })
    private static let merge = ChangePart<JSONValue>("merge", .value, json: { $0 }, read: { $0 })
    private static let privileges = texts("privileges")
    private static let until = ChangePart(
        "until", .time, json: { .string($0.description) },
        read: { json throws(MemberProblem) in
            try json.readInstant()
        })
    private static let strict = flag("strict").orFalse()
    private static let expectAbsent = flag("expectAbsent").orFalse(.omitted)
    private static let expectRevision = ChangePart<Revision>(
        "expectRevision", .revision, json: { .integer(Int64(clamping: $0.rawValue)) },
        read: { json throws(MemberProblem) in
            guard case .integer(let number) = json, number >= 0 else { throw json.wrongType("a whole number", "is not a revision") }
            return Revision(UInt64(number))
        })
    private static let inherits = ChangePart<ClassSettings.Inheritance>(
        "inherits", .inheritance,
        json: {
            switch $0 {
            case .nothing: .bool(false)
            case .everything: .bool(true)
            case .only(let privileges): list(privileges)
            }
        },
        read: { json throws(MemberProblem) in
            switch json {
            case .bool(let isFull): return isFull ? .everything : .nothing
            case .array: return .only(try json.readTexts())
            default: throw json.wrongType("true, false or a list of privileges")
            }
        })
    /// An object with one member for each alias: a privilege, or a list of privileges.
    private static let aliases = ChangePart<[ClassSettings.Alias]>(
        "aliases", .aliases,
        json: {
            .object(JSONObject($0.map { ($0.name, $0.privileges.count == 1 ? .string($0.privileges[0]) : list($0.privileges)) }))
        },
        read: { json throws(MemberProblem) in
            var aliases: [ClassSettings.Alias] = []
            for (name, meaning) in try json.readMembers() {
                do throws(MemberProblem) {
                    let privileges = if case .string(let privilege) = meaning { [privilege] } else { try meaning.readTexts() }
                    aliases.append(ClassSettings.Alias(name, for: privileges))
                } catch { throw error.inside(name) }
            }
            return aliases
        })

    private static func name(_ name: String, _ make: @escaping @Sendable (String) -> Name = { Name($0) }) -> ChangePart<Name> {
        ChangePart(name, .name, json: { .string($0.text) }, read: { json throws(MemberProblem) in make(try json.readText()) })
    }
    private static func flag(_ name: String) -> ChangePart<Bool> {
        ChangePart(name, .flag, json: JSONValue.bool, read: { json throws(MemberProblem) in try json.readFlag() })
    }
    private static func texts(_ name: String) -> ChangePart<[String]> {
        ChangePart(name, .texts, json: list, read: { json throws(MemberProblem) in try json.readTexts() })
    }
    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// One of a few words, in the order of their numbers from 0.
    private static func word<Value: RawRepresentable<UInt8> & SendableMetatype>(_ name: String, _ words: [String]) -> ChangePart<
        Value
    > {
        ChangePart(
            name, .words(words), json: { .string(words[Int($0.rawValue)]) },
            read: { json throws(MemberProblem) in
                guard let value = Value(rawValue: UInt8(try json.readWord(words))) else {
                    preconditionFailure("a word has no value")
                }
                return value
            })
    }
}
