/// One command: how it is called, what it is for, and what it does.
struct Command: Sendable {
    /// One word or two, such as `role add`.
    let name: String
    /// What it does, as a phrase.
    let summary: String
    /// The words behind the name, as a sentence.
    let sentence: String
    let options: [Option]
    let example: Example
    /// Does it. Errors are thrown; a code that is not ``ExitCode/success`` is an answer.
    let run: @Sendable (inout Call) throws -> ExitCode

    init(
        _ name: String, _ summary: String, sentence: String = "", options: [Option], example: Example,
        run: @escaping @Sendable (inout Call) throws -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.sentence = sentence
        self.options = options
        self.example = example
        self.run = run
    }

    /// How it is called, but for the options.
    var usage: String { "muniment " + name + (sentence.isEmpty ? "" : " " + sentence) }
}

/// A call and what it prints. A line with nothing but `…` stands for any lines.
struct Example: Sendable {
    let call: String
    let prints: String

    init(_ call: String, _ prints: String) {
        self.call = call
        self.prints = prints
    }
}
