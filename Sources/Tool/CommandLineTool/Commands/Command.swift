import Events
import Muniment
import Permissions

/// A command: its name, description and implementation.
struct Command: Sendable {
    /// One or two words, such as `role add`.
    let name: String
    /// A short description, as a phrase.
    let summary: String
    /// The words after the name, as a sentence. A call of a command without it must have no words.
    let sentence: String
    let options: [Option]
    let example: Example
    /// Runs the command. Errors are thrown; a code other than ``ExitCode/success`` is an answer.
    let run: @Sendable (inout Invocation) throws -> ExitCode

    init(
        _ name: String, _ summary: String, sentence: String = "", options: [Option], example: Example,
        run: @escaping @Sendable (inout Invocation) throws -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.sentence = sentence
        self.options = options
        self.example = example
        self.run = run
    }

    /// The syntax of the command without its options.
    var usage: String { "muniment " + name + (sentence.isEmpty ? "" : " " + sentence) }
}

/// A call and its output. A line that contains only `…` matches any lines.
struct Example: Sendable {
    let call: String
    let prints: String

    init(_ call: String, _ prints: String) {
        self.call = call
        self.prints = prints
    }
}

extension Command {
    /// Returns a command that commits one change, which `change` makes of the words and options of a call.
    ///
    /// - Parameter remains: returns the access that the change did not take away, as members of the object and as lines; nil for a
    ///   change that takes none away.
    static func change(
        _ name: String, _ summary: String, sentence: String, options: [Option] = [], example: Example,
        remains: (@Sendable (Change, Snapshot) throws -> (JSONObject, [String]))? = nil,
        change: @escaping @Sendable (inout Invocation) throws -> Change
    ) -> Command {
        Command(name, summary, sentence: sentence, options: options + Option.change, example: example) { call in
            let change = try change(&call)
            try call.end()
            return try call.make([change], remains: remains.map { remains in { try remains($0[0], $1) } })
        }
    }
}
