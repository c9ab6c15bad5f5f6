import Events
public import Muniment

/// Answers a file of questions: each line comes back with its `answer`, everything else in it as it was.
public struct Asker {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Answers the questions one by one, in order, each before the next is read.
    ///
    /// A header is optional; its levels go before those that the store keeps. Blank lines and comments are not repeated.
    ///
    /// - Parameters:
    ///   - file: the questions.
    ///   - write: takes each answered line, without its end.
    /// - Returns: how many questions there were.
    /// - Throws: ``FormatError`` for a line that is no question or one that cannot be answered, ``UnreadableFile``, and what
    ///   `write` and the store throw.
    @discardableResult
    public func answer(file: String, write: (String) throws -> Void) throws -> Int {
        try answer(try LineReader(file: file), write: write)
    }

    /// Answers the questions in a text; `named` is what errors call it.
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
            case .transaction, .mark, .clock: preconditionFailure("the parser knows only questions in this kind of file")
            }
        }
        return count
    }
}
