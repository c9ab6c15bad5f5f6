import Events
import Foundation
import Muniment
import Permissions

/// A call of a command: its words, taken one by one, its options, and its output.
struct Invocation {
    let command: Command
    var options: ParsedArguments
    let output: Output
    private var words: ArraySlice<String>

    init(_ command: Command, words: ArraySlice<String>, options: ParsedArguments, output: Output) {
        self.command = command
        self.words = words
        self.options = options
        self.output = output
    }

    var isJSON: Bool { options.isSet(.json) }

    /// Whether the call runs until it is interrupted.
    var isEndless: Bool { command.name == Command.serve.name || options.isSet(.follow) }

    /// The number of remaining words.
    var wordsLeft: Int { words.count }

    /// Takes the next word. If it is missing, the error names it with `what`.
    mutating func word(_ what: String) throws -> String {
        guard let word = words.popFirst() else { throw UsageError("\(what) is missing") }
        return word
    }

    /// Skips an optional word that only improves readability, unless it is the last word.
    mutating func skip(_ filler: String?) {
        if words.count > 1, words.first == filler { words.removeFirst() }
    }

    /// Takes all remaining words.
    mutating func remainingWords() -> [String] {
        defer { words = [] }
        return Array(words)
    }

    /// Throws if any words remain.
    func end() throws {
        guard let word = words.first else { return }
        throw UsageError("unexpected word `\(word)`; quote a word that contains spaces")
    }
}

extension Invocation {
    /// Takes the next word as the name of an object or a principal, after an optional filler.
    mutating func name(_ what: String, after filler: String? = nil) throws -> Name {
        skip(filler)
        return try Values.name(try word(what))
    }

    /// Takes the next word as a role, with or without its `role:` prefix, after an optional filler.
    mutating func role(after filler: String? = nil) throws -> Name {
        skip(filler)
        return try Values.name(Name.role(try word("the role")).text)
    }

    /// Takes the next word as a permission, with or without its `permission:` prefix.
    mutating func permission() throws -> Name { try Values.name(Name.permission(try word("the permission")).text) }

    /// Takes the next word as a class, with or without its `class:` prefix.
    mutating func className() throws -> String { try Values.className(try word("the class")) }

    /// Takes the next word as privileges, separated by commas.
    mutating func privileges() throws -> [String] { try Values.privileges(try word("the privilege")) }

    /// Takes the last words: privileges, and their object.
    mutating func privilegesOnObject() throws -> (privileges: [String], object: Name) {
        let (privileges, object) = (try privileges(), try name("the object", after: "on"))
        try end()
        return (privileges, object)
    }
}

extension Invocation {
    /// The folder of the store.
    var directory: String {
        get throws {
            if let directory = options[.store] ?? ProcessInfo.processInfo.environment["MUNIMENT_STORE"], !directory.isEmpty {
                return directory
            }
            throw UsageError("the store is missing; write `--store DIR` or set MUNIMENT_STORE")
        }
    }

    /// The caller.
    var caller: Name {
        get throws {
            try options.value(of: .caller) { text in
                let name = try Values.name(text)
                guard name.kind == .caller || name.kind == .anonymous else {
                    throw UsageError("`\(name)` cannot act; write a user, a thing or anonymous")
                }
                return name
            } ?? "user:root"
        }
    }

    /// The time of the question.
    var moment: Moment { get throws { try moment(.at) ?? .now } }

    /// Returns the name in an option; nil if the option is missing.
    func name(_ option: Option) throws -> Name? { try options.value(of: option, Values.name) }
}
