/// Texts in quotes (RFC 8259, section 7).
extension JSONReader {
    /// Reads the text that begins with the quote at the position.
    mutating func string() throws(JSONError) -> String { String(decoding: try text(), as: UTF8.self) }

    /// Reads the text that begins with the quote at the position, as UTF-8 without escapes.
    mutating func text() throws(JSONError) -> ArraySlice<UInt8> {
        let start = position + 1
        position = start
        try skipPlain(from: start)
        if current == UInt8(ascii: "\"") {
            position += 1
            return bytes[start..<position - 1]
        }
        var text = Array(bytes[start..<position])
        while current == UInt8(ascii: "\\") {
            try escape(into: &text)
            let plain = position
            try skipPlain(from: start)
            text += bytes[plain..<position]
        }
        position += 1
        return text[...]
    }

    /// Advances to the next quote or backslash of the text.
    @inline(__always) private mutating func skipPlain(from start: Int) throws(JSONError) {
        position = endOfPlain
        guard position < bytes.count else {
            throw JSONError(.malformed, at: start - 1, "the text in quotes that begins there has no end", "close it with a quote")
        }
        let byte = bytes[position]
        guard byte >= 0x20 else {
            let digits = (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
            throw JSONError(
                .malformed, at: position, "a string contains an unescaped control character", "write it as `\\u00\(digits)`")
        }
    }

    /// The offset of the next quote, backslash or control character, or of the end.
    @inline(__always) private var endOfPlain: Int {
        let bytes = bytes.span
        var end = position
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\") { end += 1 }
        return end
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        let letter = current
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += try scalar(from: start).utf8
        default:
            throw JSONError(
                .malformed, at: start, "a backslash must be followed by one of `\"\\/bfnrtu`", "write it twice for a backslash")
        }
    }

    /// Decodes the four digits after `\u`, or the two escapes of a surrogate pair.
    private mutating func scalar(from start: Int) throws(JSONError) -> UnicodeScalar {
        let first = try fourDigits(from: start)
        if let scalar = UnicodeScalar(first) { return scalar }
        if first < 0xDC00, current == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u") {
            position += 2
            let second = try fourDigits(from: position - 2)
            if (0xDC00..<0xE000).contains(second),
                let scalar = UnicodeScalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw JSONError(
            .malformed, at: start,
            "`\\u\(String(first, radix: 16))` is half of a surrogate pair without the other half, which no text has in it",
            "write both halves, or leave it out")
    }

    private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(current)).hexDigitValue else {
                throw JSONError(
                    .malformed, at: start, "`\\u` must be followed by four hexadecimal digits", "write all four of them")
            }
            number = number << 4 | UInt32(digit)
            position += 1
        }
        return number
    }
}
