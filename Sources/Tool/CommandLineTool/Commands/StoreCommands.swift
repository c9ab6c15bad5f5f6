import Events
import Muniment
import MunimentRecipes
import Permissions
import Service
import Wire

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

    static let storeList = Command(
        "store list", "list the stores of a data directory, and whether each can be read", options: [.data, .format, .utc, .json],
        example: Example("store list --data .", "demo  open    r21  2026-01-31T10:20:00Z")
    ) { call in
        let directory = try call.dataDirectory
        try requireFolder(directory)
        let survey = try DataDirectorySurvey(directory)
        if let problem = survey.problem { throw UsageError(problem) }
        let (stores, zone) = (
            (survey.stores + survey.missing).map { StoreSummary($0, in: directory, call.storeOptions) }, try call.zone
        )
        let width = stores.map(\.name.count).max() ?? 0
        for store in stores { if let problem = store.problem { call.note("the store `\(store.name)` cannot be read: \(problem)") } }
        if stores.isEmpty { call.note("`\(directory)` contains no store") }
        return try call.answer(
            .object(["stores": .array(stores.map { Table.object(StoreSummary.columns, $0.cells) })]),
            lines: stores.map { $0.line(width: width, in: zone) }, table: Table(StoreSummary.columns, stores.map(\.cells)),
            stores.allSatisfy { $0.problem == nil } ? .success : .failure)
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

/// A line of `store list`.
private struct StoreSummary {
    static let columns = ["store", "state", "revision", "time", "problem"]

    let name: String
    /// `open` or `locked`; `unreadable` with a problem.
    private(set) var state = "unreadable"
    private(set) var head: (revision: Revision, time: Instant)?
    /// Why the store cannot be read; nil if it can.
    private(set) var problem: String?

    init(_ name: StoreName, in directory: String, _ options: StoreOptions) {
        self.name = name.text
        do {
            let store = try Store.open(at: "\(directory)/\(name)", options: options)
            defer { try? store.close() }
            let found = try store.read { ($0.revision, try $0.isOpenToEveryone) }
            (state, head) = (found.1 ? "open" : "locked", (found.0, try store.head.time))
        } catch { problem = Failure(error).message ?? "\(error)" }
    }

    var cells: [Cell] { [.text(name), .text(state), .revision(head?.revision), .time(head?.time), .text(problem)] }

    func line(width: Int, in zone: Zone) -> String {
        let words = [name.padded(to: width), state.padded(to: "locked".count)]
        return (words + (head.map { ["r\($0.revision)", zone.text($0.time)] } ?? [])).joined(separator: "  ")
    }
}

extension Invocation {
    /// Warns that every user may change the permissions of the store.
    func warnOfOpenStore(_ directory: String) {
        note("the store `\(directory)` is open: every user may change its permissions. Lock it with `muniment lock`.")
    }
}
