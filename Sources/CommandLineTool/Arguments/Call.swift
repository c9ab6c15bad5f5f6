import Events
import Foundation
import Muniment
import Permissions

/// One call of a command: its words, taken one by one as its sentence goes, its options, and where its output goes.
struct Call {
    let command: Command
    let options: Options
    let output: Output
    private var words: ArraySlice<String>

    init(_ command: Command, words: ArraySlice<String>, options: Options, output: Output) {
        self.command = command
        self.words = words
        self.options = options
        self.output = output
    }

    var isJSON: Bool { options.isSet(.json) }

    /// How many words are still to be taken.
    var wordsLeft: Int { words.count }

    /// The next word. `what` names it where it is missing.
    mutating func word(_ what: String) throws -> String {
        guard let word = words.popFirst() else { throw UsageError("\(what) is missing") }
        return word
    }

    /// Goes over a word that only makes the sentence read well, if it is there and is not the last.
    mutating func skip(_ filler: String...) {
        if words.count > 1, let word = words.first, filler.contains(word) { words.removeFirst() }
    }

    /// Every word that is left.
    mutating func remainingWords() -> [String] {
        defer { words = [] }
        return Array(words)
    }

    /// Says that the sentence ends here.
    func end() throws {
        guard let word = words.first else { return }
        throw UsageError("`\(word)` is one word too many; quote a word with blanks in it")
    }
}

extension Call {
    /// The next word as the name of an object, of a principal, or of either.
    mutating func name(_ what: String) throws -> Name { try Values.name(try word(what)) }

    /// The next word as a role, with or without its `role:`.
    mutating func role() throws -> Name { try Values.name(Name.role(try word("the role")).text) }

    /// The next word as a permission, with or without its `permission:`.
    mutating func permission() throws -> Name { try Values.name(Name.permission(try word("the permission")).text) }

    /// The next word as a class, with or without its `class:`.
    mutating func className() throws -> String { try Values.className(try word("the class")) }

    /// The next word as privileges, with commas between them.
    mutating func privileges() throws -> [String] { try Values.privileges(try word("the privilege")) }

    /// The end of a sentence: privileges, and the object that they are asked or given on.
    mutating func privilegesOnObject() throws -> (privileges: [String], object: Name) {
        let privileges = try privileges()
        skip("on")
        let object = try name("the object")
        try end()
        return (privileges, object)
    }
}

extension Call {
    /// The folder of the store.
    var directory: String {
        get throws {
            if let directory = options[.store] ?? ProcessInfo.processInfo.environment["MUNIMENT_STORE"], !directory.isEmpty {
                return directory
            }
            throw UsageError("no store is named; say which with `--store DIR` or in MUNIMENT_STORE")
        }
    }

    /// Who acts.
    var caller: Name {
        get throws {
            let name = try Values.name(options[.caller] ?? "user:root")
            guard name.kind == .caller || name.kind == .anonymous else {
                throw UsageError("`\(name)` cannot act; `--as` is a user, a thing or anonymous")
            }
            return name
        }
    }

    /// The moment that a question is about.
    var moment: Moment { get throws { try options[.at].map(Values.moment) ?? .now } }

    /// The name that an option gives; nil where it was not given.
    func name(_ option: Option) throws -> Name? { try options[option].map { try Values.name($0) } }
}
