import Events

/// Inserts an answer into the text of a question without changing the rest of the text.
enum AnsweredLine {
    /// Returns the line with its `answer`, which replaces an existing one or follows the other keys.
    ///
    /// - Parameter line: one JSON object in UTF-8 that was parsed before, so it is valid.
    static func text(of line: [UInt8], answer: String) -> String {
        var scanner = MemberScanner(line)
        var end = line.count
        while let member = scanner.next() {
            end = member.value.upperBound
            guard member.isAnswer else { continue }
            return scanner.text(..<member.value.lowerBound) + answer + scanner.text(member.value.upperBound...)
        }
        // Blanks between the last value and the closing brace remain after the inserted text.
        return scanner.text(..<end) + scanner.separator + "\"answer\"" + scanner.colon + answer + scanner.text(end...)
    }
}

/// Finds the members of the outermost object in a JSON text.
private struct MemberScanner {
    struct Member {
        var isAnswer: Bool
        var value: Range<Int>
    }

    private let bytes: [UInt8]
    private var position: Int
    /// The separators in the style of this line, with or without a blank.
    private(set) var separator = ","
    private(set) var colon = ":"

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? bytes.count) + 1
    }

    func text(_ range: some RangeExpression<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    mutating func next() -> Member? {
        skip { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "}") }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        if position >= 2, bytes[position - 1] == 0x20, bytes[position - 2] == UInt8(ascii: ",") { separator = ", " }
        let key = string()
        skip { $0 != UInt8(ascii: ":") }
        position += 1
        if position < bytes.count, bytes[position] == 0x20 { colon = ": " }
        skip { $0 <= 0x20 }
        let start = position
        skipValue()
        var end = position
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        return Member(isAnswer: isAnswer(bytes[key]), value: start..<end)
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    /// Skips a string and returns its range, including its quotes.
    private mutating func string() -> Range<Int> {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
        return start..<position
    }

    /// Skips to the comma or brace after a value.
    private mutating func skipValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                _ = string()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return }
            default: break
            }
            position += 1
        }
    }

    /// A key can contain escapes.
    private func isAnswer(_ key: ArraySlice<UInt8>) -> Bool {
        guard key.contains(UInt8(ascii: "\\")) else { return key.elementsEqual("\"answer\"".utf8) }
        return (try? JSONText.decode(Array(key))) == .string("answer")
    }
}
