import Events
public import Muniment

/// Answers a file of questions: writes each line with its `answer`, and otherwise unchanged.
public struct QuestionFileAnswerer {
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
    /// - Throws: ``FormatError`` for a line that is not a question or cannot be answered, ``UnreadableFileError``, and the errors of
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
        var answering = QuestionEvaluator(store: store, levels: try store.levels)
        var count = 0
        while let raw = try lines.next() {
            switch try parser.parse(raw) {
            case .header(let header):
                if let levels = header.levels { answering = QuestionEvaluator(store: store, levels: levels) }
            case .question(let question):
                do {
                    let answer = try answering.answer(question).text
                    try write(try AnsweredLine.text(of: raw.bytes, answer: answer))
                    count += 1
                } catch let problem as MemberProblem {
                    throw problem.at(lines.file, raw.number)
                }
            case .transaction, .mark, .clock: preconditionFailure("the parser accepts only questions in this kind of file")
            }
        }
        return count
    }
}

/// Inserts an answer into the text of a question without changing the rest of the text.
enum AnsweredLine {
    /// Returns the line with its `answer`, which replaces an existing one or follows the other members.
    ///
    /// - Parameter line: one JSON object in UTF-8 that was parsed before, so it is valid.
    static func text(of line: [UInt8], answer: String) throws(JSONError) -> String {
        var (before, after) = (line.count, line.count)
        // The separators in the style of this line, with or without a blank.
        var (comma, colon) = (",", ":")
        var isAnswered = false
        let answerName = JSONName("answer")
        var reader = try JSONReader(line)
        try reader.takeMembers { reader, name throws(JSONError) in
            if line[reader.position...].first == 0x20 { colon = ": " }
            _ = try reader.next()
            let start = reader.position
            try reader.skip()
            guard !isAnswered else { return }
            isAnswered = name == answerName
            (before, after) = (isAnswered ? start : reader.position, reader.position)
            if line[after...].starts(with: ", ".utf8) { comma = ", " }
        }
        let text = { (range: Range<Int>) in String(decoding: line[range], as: UTF8.self) }
        // Blanks between the last value and the closing brace remain after the inserted text.
        let name = isAnswered ? "" : comma + "\"answer\"" + colon
        return text(0..<before) + name + answer + text(after..<line.count)
    }
}
