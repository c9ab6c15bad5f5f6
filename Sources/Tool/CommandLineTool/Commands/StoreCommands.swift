import Events
import Muniment
import MunimentRecipes
import Permissions

extension Option {
    fileprivate static let open = Option("open", "everyone has all privileges at the store and class levels: for prototypes")
    fileprivate static let locked = Option("locked", "only the administrator has privileges (the default)")
    fileprivate static let role = Option(
        "role", value: "ROLE", "the role that receives the privileges of everyone (default \(Roles.lockDownRole))")
    fileprivate static let member = Option("member", value: "NAME[,NAME…]", "members of the role in addition to the caller")
    fileprivate static let administrator = Option("as", value: "PRINCIPAL", "its administrator (default user:root)")
}

extension Command {
    static let initialize = Command(
        "init", "create a store", options: [.open, .locked, .administrator, .json, .store],
        example: Example("init --open --store demo", "created an open store in `demo`; user:root administers it")
    ) { call in
        let isOpen = call.options.isSet(.open)
        guard !(isOpen && call.options.isSet(.locked)) else {
            throw UsageError("`--open` and `--locked` exclude each other; write one of them")
        }
        let (directory, administrator) = (try call.directory, try call.caller)
        guard administrator.kind == .caller else {
            throw UsageError("`\(administrator)` cannot administer a store; `--as` takes a user or a thing here")
        }
        try Store.create(
            at: directory, preset: isOpen ? .open : .locked, administrator: administrator, options: call.storeOptions
        ).close()
        let code = try call.answer(
            .object([
                "store": .string(directory), "preset": .string(isOpen ? "open" : "locked"),
                "administrator": .name(administrator), "revision": .revision(.genesis),
            ]),
            lines: ["created \(isOpen ? "an open" : "a locked") store in `\(directory)`; \(administrator) administers it"])
        if isOpen { call.warnOfOpenStore(directory) }
        return code
    }

    static let lock = Command(
        "lock", "lock an open store: move the privileges of everyone to a role", options: [.role, .member] + Option.change,
        example: Example("lock --member user:ann", "revision 25")
    ) { call in
        let role = try call.options.value(of: .role) { try Values.name(Name.role($0).text) } ?? Roles.lockDownRole
        let members = try call.options.value(of: .member) { text in
            try text.split(separator: ",").map { try Values.name(String($0)) }
        }
        let caller = try call.caller
        let changes = try call.withStore(.reading) { store in
            try Roles(store, as: caller).lockDownChanges(to: role, members: members ?? [])
        }
        return try call.make(changes)
    }
}

extension Invocation {
    /// Warns that every user may change the permissions of the store.
    func warnOfOpenStore(_ directory: String) {
        note("the store `\(directory)` is open: every user may change its permissions. Lock it with `muniment lock`.")
    }
}
