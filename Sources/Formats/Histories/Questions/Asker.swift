import Events
public import Muniment

/// Answers a file of questions: writes each line with its `answer`, and otherwise unchanged.
public struct Asker {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Answers the questions one by one, in order. Each is answered before the next is read.
    ///
    /// A header is optional; its levels take precedence over those in the store. Blank lines and comments are omitted from the
    /// output.
    ///
    /// - Parameters:
    ///   - file: the questions.
    ///   - write: receives each answered line, without its line end.
    /// - Returns: the number of questions.
    /// - Throws: ``FormatError`` for a line that is not a question or cannot be answered, ``UnreadableFile``, and the errors of
    ///   `write` and the store.
    @discardableResult
    public func answer(file: String, write: (String) throws -> Void) throws -> Int {
        try answer(try LineReader(file: file), write: write)
    }

    /// Answers the questions in a text; `named` is its name in errors.
    @discardableResult
    public func answer(text: String, named name: String, write: (String) throws -> Void) throws -> Int {
        try answer(LineReader(text: text, named: name), write: write)
    }

    private func answer(_ lines: LineReader, write: (String) throws -> Void) throws -> Int {
        var lines = lines
        var parser = LineParser(file: lines.file, kind: .questions)
        var answering = Answering(store: store, levels: try store.levels)
        var count = 0
        while let raw = try lines.next() {
            switch try parser.parse(raw) {
            case .header(let header):
                if let levels = header.levels { answering = Answering(store: store, levels: levels) }
            case .question(let question):
                do {
                    let answer = try answering.answer(question).text
                    try write(AnsweredLine.text(of: raw.bytes, answer: answer))
                    count += 1
                } catch let problem as LineProblem {
                    throw problem.at(lines.file, raw.number)
                }
            case .transaction, .mark, .clock: preconditionFailure("the parser accepts only questions in this kind of file")
            }
        }
        return count
    }
}
