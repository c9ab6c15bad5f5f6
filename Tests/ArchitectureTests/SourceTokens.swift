/// The code tokens of a Swift source text. Comments are removed. A string literal is one `"` followed by the code of its
/// interpolations.
struct SourceTokens {
    private let text: [Character]
    private var position = 0
    private(set) var tokens: [Substring] = []

    /// Returns the tokens of a text, in order. A line end is the token `\n`.
    static func of(_ text: String) -> [String] {
        var reader = SourceTokens(text: Array(text))
        reader.readCode(until: nil)
        return reader.tokens.map(String.init)
    }

    private init(text: [Character]) { self.text = text }

    private func starts(with sign: String, at offset: Int = 0) -> Bool {
        text[(position + offset)...].starts(with: sign)
    }

    /// Reads code to the end, or past the bracket that closes an interpolation.
    private mutating func readCode(until closing: Character?) {
        var depth = 0
        while position < text.count {
            let character = text[position]
            if starts(with: "//") {
                while position < text.count, !text[position].isNewline { position += 1 }
            } else if starts(with: "/*") {
                skipComment()
            } else if let hashes = hashesOfLiteral() {
                readLiteral(hashes: hashes)
            } else if character.isNewline {
                add("\n", length: 1)
            } else if character.isWhitespace {
                position += 1
            } else if isWord(character) {
                readWord()
            } else {
                add(String(character), length: 1)
                if character == "(" { depth += 1 }
                if character == ")" {
                    if depth == 0, closing != nil { return }
                    depth -= 1
                }
            }
        }
    }

    private mutating func add(_ token: String, length: Int) {
        tokens.append(token[...])
        position += length
    }

    private func isWord(_ character: Character) -> Bool { character == "_" || character.isLetter || character.isNumber }

    /// Reads a word. A word in backticks keeps them, because it is always a name.
    private mutating func readWord() {
        let start = position
        while position < text.count, isWord(text[position]) { position += 1 }
        let isQuoted = start > 0 && text[start - 1] == "`"
        tokens.append((isQuoted ? "`" : "") + String(text[start..<position])[...])
    }

    /// Skips a comment. Comments can be nested.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                position += 2
            } else if starts(with: "*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && position < text.count
    }

    /// Returns the number of `#` before the quote at this position, or nil if no literal starts here.
    private func hashesOfLiteral() -> Int? {
        var hashes = 0
        while position + hashes < text.count, text[position + hashes] == "#" { hashes += 1 }
        return position + hashes < text.count && text[position + hashes] == "\"" ? hashes : nil
    }

    private mutating func readLiteral(hashes: Int) {
        let quotes = starts(with: "\"\"\"", at: hashes) ? "\"\"\"" : "\""
        let end = quotes + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        add("\"", length: hashes + quotes.count)
        while position < text.count {
            if starts(with: end) {
                position += end.count
                return
            } else if starts(with: escape + "(") {
                position += escape.count + 1
                readCode(until: ")")
            } else if starts(with: escape) {
                position += escape.count + 1
            } else if quotes.count == 1, text[position].isNewline {
                return
            } else {
                position += 1
            }
        }
    }
}
