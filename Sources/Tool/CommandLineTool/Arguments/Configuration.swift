import Events
import Files

/// The options of a call, from the command line, the environment and a configuration file, in this order of precedence.
struct Configuration {
    struct Setting: Hashable {
        let value: String
        /// Where the value comes from, such as ``MUNIMENT_LISTEN`` or the path of the file.
        let source: String
    }

    /// By the name of the option.
    private(set) var settings: [String: Setting] = [:]
    /// A warning for each variable of the environment with the prefix of options that sets no option.
    let warnings: [String]

    static let fileLimitBytes = 1 << 20

    /// Reads the environment, and the file in the option `config`.
    ///
    /// - Parameters:
    ///   - options: the options that the environment and the file can set.
    ///   - onlyAsArguments: the options that only the command line can set.
    ///   - arguments: the options of the command line.
    ///   - environment: the environment of the process. An empty variable counts as missing.
    /// - Throws: ``UsageError`` for an unreadable file, an unknown key, or a value of the wrong type.
    init(
        _ options: [Option], onlyAsArguments: [Option], arguments: ParsedArguments, environment: [String: String]
    ) throws {
        warnings = Configuration.unknownVariables(environment, options + onlyAsArguments)
        for option in onlyAsArguments where environment[option.variable]?.isEmpty == false {
            throw UsageError("the variable `\(option.variable)` cannot be set; write `\(option.usage)` in the command line")
        }
        for option in options + [.configuration] {
            if let value = arguments[option] {
                settings[option.name] = Setting(value: value, source: "command line")
            } else if let value = environment[option.variable], !value.isEmpty {
                try option.check(value, in: "the variable `\(option.variable)`")
                settings[option.name] = Setting(value: value, source: option.variable)
            }
        }
        guard let path = settings[Option.configuration.name]?.value else { return }
        for (name, value) in try Configuration.read(path, options) where settings[name] == nil {
            settings[name] = Setting(value: value, source: path)
        }
    }

    /// Does not print values, because they may be secret.
    private static func unknownVariables(_ environment: [String: String], _ options: [Option]) -> [String] {
        let known = (options + [.configuration, .store]).map(\.variable)
        return environment.filter { $0.key.hasPrefix("MUNIMENT_") && !$0.value.isEmpty && !known.contains($0.key) }.keys.sorted()
            .map { name in
                // The prefix would make all names similar.
                let prefix = "MUNIMENT_"
                let nearest = String(name.dropFirst(prefix.count)).nearest(
                    among: known.map { String($0.dropFirst(prefix.count)) }.sorted())
                let remedy = nearest.map { "did you mean `\(prefix + $0)`?" } ?? "unset it, or correct its name"
                return "the variable `\(name)` sets no option; \(remedy)"
            }
    }

    /// The values by the name of the option.
    var values: [String: String] { settings.mapValues(\.value) }

    private static func read(_ path: String, _ options: [Option]) throws -> [String: String] {
        let json: JSONValue
        do {
            try requireUnchangeableFile(path)
            json = try JSONText.decode(try readFile(path), limit: fileLimitBytes)
        } catch let error as ChangeableFileError { throw UsageError("\(error)") } catch let error as JSONError {
            throw UsageError("`\(path)` is not JSON: \(error)")
        } catch { throw UsageError("the configuration cannot be read: \(error)") }
        guard case .object(let members) = json else {
            throw UsageError("`\(path)` is not a JSON object; write {\"listen\": \"127.0.0.1:8080\"}")
        }
        var values: [String: String] = [:]
        for (name, value) in members {
            guard let option = options.first(where: { $0.name == name }) else {
                let nearest = name.nearest(among: options.map(\.name).sorted())
                let remedy = nearest.map { "did you mean `\($0)`?" } ?? "its keys are the options of the command without `--`"
                throw UsageError("unknown key `\(name)` in `\(path)`; \(remedy)")
            }
            values[name] = try text(of: value, for: option, in: path)
        }
        if values.values.contains(where: isDatabaseWithPassword) {
            do { try requirePrivateFile(path) } catch let error as ExposedFileError { throw UsageError("\(error)") }
        }
        return values
    }

    private static func text(of value: JSONValue, for option: Option, in path: String) throws -> String {
        let place = "`\(option.name)` in `\(path)`"
        switch value {
        case .bool(let flag) where option.isFlag: return flag ? "yes" : "no"
        case _ where option.isFlag: throw UsageError("\(place) is not a truth value; write true or false")
        case .string(let text): return text
        case .integer(let number): return "\(number)"
        case .array(let elements):
            return try elements.map { element in
                guard case .string(let text) = element, !text.contains(",") else {
                    throw UsageError("\(place) has an element that is not a text without commas; write a list of such texts")
                }
                return text
            }.joined(separator: ",")
        default: throw UsageError("\(place) has a value of the wrong type; write a text, a whole number or a list of texts")
        }
    }
}

extension Option {
    static let configuration = Option(
        "config", value: "FILE",
        "a JSON object with options as keys, such as {\"listen\": \"127.0.0.1:8080\"}; an option of the command line has precedence, "
            + "then a variable such as MUNIMENT_LISTEN")

    /// The environment variable that sets the option.
    fileprivate var variable: String {
        "MUNIMENT_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
