import Events

/// The parsed arguments of a call: the words, and the options with their values.
///
/// An option is `--name VALUE` or `--name=VALUE`, a flag is `--name`, `--name=yes` or `--name=no`. Both can be at any position.
/// After `--` every argument is a word.
struct ParsedArguments {
    var words: [String] = []
    private var values: [String: String] = [:]

    /// Throws ``UsageError`` for an unknown option, one without its value, and a duplicate one.
    init(_ arguments: [String]) throws {
        // First, because other errors repeat the argument.
        for argument in arguments {
            let isOption = argument.hasPrefix("-")
            let value = isOption ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
            guard !isDatabaseWithPassword(String(value)) else {
                throw UsageError(
                    "the list of processes shows the password in this address to every user; change it, and write it into the file that "
                        + "PGPASSFILE or `passfile=FILE` in the address names, into the variable PGPASSWORD, or with the address into "
                        + "MUNIMENT_LOG or the file of `--config`")
            }
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            try take(argument == "-h" ? "--help" : argument, &rest)
        }
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws {
        let parts = argument.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard argument.hasPrefix("--"), let option = CommandTable.options[name] else {
            let nearest = name.nearest(among: CommandTable.options.keys.sorted())
            let remedy = nearest.map { "did you mean `--\($0)`?" } ?? "write `--` before a word that begins with a dash"
            throw UsageError("unknown option `\(argument)`; \(remedy)")
        }
        guard values[name] == nil else { throw UsageError("`--\(name)` appears twice; give it once") }
        if parts.count == 2 {
            values[name] = String(parts[1])
        } else if option.isFlag {
            values[name] = "yes"
        } else if let value = rest.popFirst() {
            values[name] = value
        } else {
            throw UsageError("`--\(name)` has no value; write `\(option.usage)`")
        }
        if let value = values[name] { try option.check(value, in: "`--\(name)`") }
    }

    /// Throws ``UsageError`` for an option that the command does not accept.
    func check(allowed: [Option]) throws {
        let allowed = allowed.map(\.name)
        guard let name = values.keys.sorted().first(where: { !allowed.contains($0) }) else { return }
        let list = allowed.map { "--" + $0 }.joined(separator: ", ")
        throw UsageError("does not take the option `--\(name)`; it takes \(list.isEmpty ? "none" : list)")
    }

    /// Adds values of options that are not set.
    mutating func addDefaults(_ defaults: [String: String]) { values.merge(defaults) { given, _ in given } }

    /// The value of an option; nil if it is missing.
    subscript(option: Option) -> String? { values[option.name] }

    /// Returns the parsed value of an option; nil if the option is missing.
    ///
    /// - Throws: ``UsageError`` with the name of the option, if `parse` throws one.
    func value<Value>(of option: Option, _ parse: (String) throws -> Value) throws -> Value? {
        do { return try self[option].map(parse) } catch let error as UsageError {
            throw UsageError("--\(option.name): \(error.problem)")
        }
    }

    /// Returns the value of an option that takes one of some words; nil if the option is missing.
    ///
    /// - Parameter problem: the end of the error for another word, after the word.
    func choice<Choice: RawRepresentable<String>>(of option: Option, _ problem: String) throws -> Choice? {
        try value(of: option) { text in
            guard let choice = Choice(rawValue: text) else { throw UsageError("`\(text)` \(problem)") }
            return choice
        }
    }

    /// The value of a flag; nil if it is missing.
    func flag(_ option: Option) -> Bool? { values[option.name].map { ["yes", "true"].contains($0) } }

    /// Whether a flag is present and its value is not `no`.
    func isSet(_ option: Option) -> Bool { flag(option) ?? false }
}

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

    /// Throws ``UsageError`` for a flag with a value other than yes and no.
    func check(_ value: String, in place: String) throws {
        guard isFlag, !["yes", "no", "true", "false"].contains(value) else { return }
        throw UsageError("\(place) takes yes, no, true or false, not `\(value)`")
    }

    /// The option as help shows it.
    var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }
}

/// ParsedArguments of several commands. If an option has different meanings in two commands, it must have a value in both or in neither.
extension Option {
    static let help = Option("help", "show the usage of a command, with an example")
    static let version = Option("version", "print the version")

    static let store = Option("store", value: "DIR", "the folder of the store (default: the value of MUNIMENT_STORE)")
    static let data = Option("data", value: "DIR", "the folder with the stores of the service")
    static let json = Option("json", "print JSON: one object, or one per line for a log")
    static let caller = Option("as", value: "PRINCIPAL", "the caller: a user, a thing or anonymous (default user:root)")
    static let reader = Option("as", value: "PRINCIPAL", "the reader: a user, a thing or anonymous (default user:root)")
    static let because = Option("comment", value: "TEXT", "the reason of the change; stored in the log")
    static let at = Option("at", value: "REVISION|TIME", "query the state at a revision, a time or a day (default: now)")
    static let strict = Option("strict", "refuse a change that has no effect (default: accept it)")
    static let until = Option("until", value: "TIME", "when the access ends (default: never)")
    static let className = Option("class", value: "CLASS", "only objects of this class")
    static let limit = Option("limit", value: "NUMBER", "the largest number of records (default: all)")
    static let reverse = Option("reverse", "the newest first")
    static let firstMoment = Option(
        "from", value: "REVISION|TIME", "the start of the span; a day means its start (default: the oldest)")
    static let lastMoment = Option("to", value: "REVISION|TIME", "the end of the span; a day means its end (default: the newest)")
    static let firstRevision = Option("from", value: "REVISION", "the first revision (default: the oldest)")
    static let lastRevision = Option("to", value: "REVISION", "the last revision (default: the newest)")

    /// The options of every question.
    static let question: [Option] = [.at, .utc, .json, .store]
    /// The options of every question with a list as its answer.
    static let list: [Option] = [.at, .format, .utc, .json, .store]
    /// The options of every change.
    static let change: [Option] = [.caller, .because, .json, .store]
}
