/// The parsed arguments of a call: the words, and the options with their values.
///
/// An option is `--name VALUE` or `--name=VALUE`, a flag is `--name`, `--name=yes` or `--name=no`. Both can be at any position.
/// After `--` every argument is a word.
struct Options {
    var words: [String] = []
    private var values: [String: String] = [:]

    /// Throws ``UsageError`` for an unknown option, one without its value, and a duplicate one.
    init(_ arguments: [String]) throws {
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
            let nearest = UsageError.nearest(to: name, among: CommandTable.options.keys.sorted())
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
        if option.isFlag, let value = values[name], value != "yes", value != "no" {
            throw UsageError("`--\(name)` takes yes or no, not `\(value)`")
        }
    }

    /// Throws ``UsageError`` for an option that the command does not accept.
    func check(allowed: [Option]) throws {
        let allowed = allowed.map(\.name)
        guard let name = values.keys.sorted().first(where: { !allowed.contains($0) }) else { return }
        let list = allowed.map { "--" + $0 }.joined(separator: ", ")
        throw UsageError("does not take the option `--\(name)`; it takes \(list.isEmpty ? "none" : list)")
    }

    /// The value of an option; nil if it is missing.
    subscript(option: Option) -> String? { values[option.name] }

    /// The value of a flag; nil if it is missing.
    func flag(_ option: Option) -> Bool? { values[option.name].map { $0 == "yes" } }

    /// Whether a flag is present and its value is not `no`.
    func isSet(_ option: Option) -> Bool { flag(option) ?? false }
}
