/// The beginning of a call, up to the word that is being typed.
struct CallPrefix {
    /// The complete words that are neither options nor their values.
    private(set) var words: [String] = []
    /// The values of the complete options, by name.
    private(set) var values: [String: String] = [:]
    /// The option whose value is being typed.
    private(set) var option: Option?
    /// The text that is being typed, without `--name=` before a value.
    private(set) var partial: String
    /// The text of the typed word before ``partial``.
    private(set) var before = ""

    /// - Parameter arguments: all arguments; the last one is being typed, and may be empty.
    init(_ arguments: [String]) {
        partial = arguments.last ?? ""
        var pending: Option?
        var onlyWords = false
        for argument in arguments.dropLast() {
            if let option = pending {
                values[option.name] = argument
                pending = nil
            } else if argument == "--" {
                onlyWords = true
            } else if argument.hasPrefix("--"), !onlyWords {
                let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                if parts.count == 2 {
                    values[parts[0]] = parts[1]
                } else if let option = CommandTable.options[parts[0]], !option.isFlag {
                    pending = option
                } else {
                    values[parts[0]] = "yes"
                }
            } else {
                words.append(argument)
            }
        }
        option = pending
        if pending == nil, partial.hasPrefix("--"), !onlyWords, let equals = partial.firstIndex(of: "=") {
            option = CommandTable.options[String(partial[partial.index(partial.startIndex, offsetBy: 2)..<equals])]
            before = String(partial[...equals])
            partial = String(partial[partial.index(after: equals)...])
        }
    }
}
