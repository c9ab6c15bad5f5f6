import Events
import Muniment
import Permissions

extension Option {
    fileprivate static let open = Option("open", "everyone has everything at the store and class levels: for prototypes")
    fileprivate static let locked = Option("locked", "nobody but the administrator may do anything (the default)")
    fileprivate static let administrator = Option("as", value: "PRINCIPAL", "who administers it (default user:root)")
}

extension Command {
    static let initialize = Command(
        "init", "make a new store", options: [.open, .locked, .administrator, .json, .store],
        example: Example("init --open --store demo", "made an open store in `demo`; user:root administers it")
    ) { call in
        try call.end()
        let isOpen = call.options.isSet(.open)
        guard !(isOpen && call.options.isSet(.locked)) else {
            throw UsageError("`--open` and `--locked` exclude each other; write one of them")
        }
        let (directory, administrator) = (try call.directory, try call.caller)
        guard administrator.kind == .caller else {
            throw UsageError("`\(administrator)` cannot administer a store; `--as` is a user or a thing here")
        }
        try Store.create(
            at: directory, preset: isOpen ? .open : .locked, administrator: administrator, options: call.storeOptions
        ).close()
        if call.isJSON {
            try call.output.json(
                .object([
                    "store": .string(directory), "preset": .string(isOpen ? "open" : "locked"),
                    "administrator": .name(administrator), "revision": .revision(.genesis),
                ]))
        } else {
            try call.output.line(
                "made \(isOpen ? "an open" : "a locked") store in `\(directory)`; \(administrator) administers it")
        }
        return .success
    }
}
