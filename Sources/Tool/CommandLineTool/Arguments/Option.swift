/// An option: `--name VALUE`, or a flag.
struct Option: Sendable {
    let name: String
    /// The placeholder of the value in help; nil for a flag.
    let value: String?
    let summary: String

    init(_ name: String, value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    var isFlag: Bool { value == nil }

    /// The option as help shows it.
    var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }
}

/// Options of several commands. If an option has different meanings in two commands, it must have a value in both or in neither.
extension Option {
    static let help = Option("help", "show the usage of a command, with an example")
    static let version = Option("version", "print the version")

    static let store = Option("store", value: "DIR", "the folder of the store (default: the value of MUNIMENT_STORE)")
    static let data = Option("data", value: "DIR", "the folder with the stores of the service")
    static let json = Option("json", "print JSON: one object, or one per line for a log")
    static let caller = Option("as", value: "PRINCIPAL", "the caller: a user, a thing or anonymous (default user:root)")
    static let reader = Option("as", value: "PRINCIPAL", "the reader: a user, a thing or anonymous (default user:root)")
    static let at = Option("at", value: "REVISION|TIME", "query the state at a revision, a time or a day (default: now)")
    static let strict = Option("strict", "refuse a change that has no effect (default: accept it)")
    static let until = Option("until", value: "TIME", "when the access ends (default: never)")
    static let firstRevision = Option("from", value: "REVISION", "the first revision (default: the oldest)")
    static let lastRevision = Option("to", value: "REVISION", "the last revision (default: the newest)")

    /// The options of every question.
    static let question: [Option] = [.at, .json, .store]
    /// The options of every change.
    static let change: [Option] = [.caller, .json, .store]
}
