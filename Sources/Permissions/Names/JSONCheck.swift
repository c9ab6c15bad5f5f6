internal import Events

/// What is wrong with a text that was meant to be JSON.
package struct JSONFault: Error, Hashable, Sendable {
    /// A phrase, such as "an object has the member `a` twice".
    package let problem: String
    /// Where, in bytes from the beginning.
    package let offset: Int

    package init(problem: String, offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

/// Looks whether a text is JSON to the letter (RFC 8259), and no member of an object comes twice.
///
/// Foundation's decoder, which reads it afterwards, takes a comma before a closing bracket, keeps one of two members of the same
/// name, and says of bytes that are not UTF-8 that they are no number.
package struct JSONCheck {
    private var offset = 0
    private var depth = 0

    /// Levels of nesting, as many as Foundation's decoder takes.
    private static let depthLimit = 512

    /// Linear in the size of the text, but for objects of a few members.
    package static func run(_ bytes: Span<UInt8>) throws(JSONFault) {
        do { _ = try UTF8Span(validating: bytes) } catch {
            throw JSONFault(problem: "there are bytes that are not UTF-8", offset: error.byteOffsets.lowerBound)
        }
        var check = JSONCheck()
        // A byte order mark, which some editors put in front.
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { check.offset = 3 }
        try check.value(bytes)
        guard check.next(bytes) == nil else { throw check.fault("something follows behind the value") }
    }

    private func fault(_ problem: String) -> JSONFault { JSONFault(problem: problem, offset: offset) }

    /// The next byte that is no blank, which stays the next one.
    private mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
            offset += 1
        }
        return nil
    }

    /// Goes on where the next byte that is no blank is this one.
    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard next(bytes) == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard let first = next(bytes) else { throw fault("the text ends where a value is to be") }
        switch first {
        case UInt8(ascii: "{"): try nested { check throws(JSONFault) in try check.object(bytes) }
        case UInt8(ascii: "["): try nested { check throws(JSONFault) in try check.array(bytes) }
        case UInt8(ascii: "\""): _ = try text(bytes)
        case UInt8(ascii: "t"): try word("true", bytes)
        case UInt8(ascii: "f"): try word("false", bytes)
        case UInt8(ascii: "n"): try word("null", bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(bytes)
        default: throw fault("there is no value")
        }
    }

    private mutating func nested(_ body: (inout JSONCheck) throws(JSONFault) -> Void) throws(JSONFault) {
        guard depth < Self.depthLimit else { throw fault("it nests more than \(Self.depthLimit) levels deep") }
        depth += 1
        offset += 1
        try body(&self)
        depth -= 1
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(JSONFault) {
        if take(UInt8(ascii: "]"), bytes) { return }
        repeat { try value(bytes) } while take(UInt8(ascii: ","), bytes)
        guard take(UInt8(ascii: "]"), bytes) else { throw fault("a list does not end") }
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(JSONFault) {
        if take(UInt8(ascii: "}"), bytes) { return }
        var names = MemberNames()
        repeat {
            guard next(bytes) == UInt8(ascii: "\"") else { throw fault("a member has no name") }
            let start = offset
            guard names.insert(try text(bytes), bytes) else {
                let name = MemberNames.decoded(start + 1..<offset - 1, bytes)
                throw JSONFault(problem: "an object has the member `\(Name(name).excerpt)` twice", offset: start)
            }
            guard take(UInt8(ascii: ":"), bytes) else { throw fault("a member has no colon behind its name") }
            try value(bytes)
        } while take(UInt8(ascii: ","), bytes)
        guard take(UInt8(ascii: "}"), bytes) else { throw fault("an object does not end") }
    }

    private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONFault) {
        let text = "\(word)".utf8
        guard bytes.count - offset >= text.count, text.enumerated().allSatisfy({ bytes[offset + $0.offset] == $0.element }) else {
            throw fault("there is no value")
        }
        offset += text.count
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) {
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let start = offset
        try digits(bytes)
        if bytes[start] == UInt8(ascii: "0"), offset > start + 1 { throw fault("a number begins with a zero") }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try digits(bytes)
        }
        guard offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") else { return }
        offset += 1
        if offset < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[offset]) { offset += 1 }
        try digits(bytes)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        if offset == start { throw fault("a number lacks a digit") }
    }

    /// Goes over a text; answers where it stands, without its quotes, and whether it is to be read as it stands there.
    private mutating func text(_ bytes: Span<UInt8>) throws(JSONFault) -> (range: Range<Int>, isPlain: Bool) {
        offset += 1
        let start = offset
        var isPlain = true
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return (start..<offset - 1, isPlain)
            }
            if byte < 0x20 {
                throw fault(
                    "a text has a control character, which is written \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
            }
            if byte >= 0x80 { isPlain = false }
            offset += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            isPlain = false
            try escape(bytes)
        }
        throw fault("a text does not end")
    }

    /// Goes over what stands behind a backslash.
    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard offset < bytes.count, "\"\\/bfnrtu".utf8.contains(bytes[offset]) else { throw fault("there is no such escape") }
        offset += 1
        guard bytes[offset - 1] == UInt8(ascii: "u") else { return }
        let unit = try fourDigits(bytes)
        guard unit & 0xF800 == 0xD800 else { return }
        // A high surrogate, which the low one follows.
        guard unit < 0xDC00, bytes.count - offset >= 6, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else {
            throw fault("half of a surrogate pair stands alone")
        }
        offset += 2
        guard try fourDigits(bytes) & 0xFC00 == 0xDC00 else { throw fault("half of a surrogate pair stands alone") }
    }

    private mutating func fourDigits(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt16 {
        guard bytes.count - offset >= 4 else { throw fault("an escape is too short") }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(bytes[offset])).hexDigitValue, bytes[offset] < 0x80 else {
                throw fault("an escape has no four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

/// The names of an object's members so far.
private struct MemberNames {
    /// Where those stand that are to be read as they stand.
    private var plain: [Range<Int>] = []
    /// All of them, once they are many or one of them is written in another way.
    private var texts: Set<String> = []

    /// Up to so many it is fastest to look along all of them.
    private static let few = 16

    /// False where the name is there already. Names that Swift holds equal would be one member of the object.
    mutating func insert(_ name: (range: Range<Int>, isPlain: Bool), _ bytes: Span<UInt8>) -> Bool {
        if texts.isEmpty {
            if name.isPlain, plain.count < Self.few {
                for other in plain where isSame(other, name.range, bytes) { return false }
                plain.append(name.range)
                return true
            }
            for range in plain { texts.insert(Self.decoded(range, bytes)) }
        }
        return texts.insert(Self.decoded(name.range, bytes)).inserted
    }

    private func isSame(_ left: Range<Int>, _ right: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where bytes[left.lowerBound + index] != bytes[right.lowerBound + index] { return false }
        return true
    }

    /// The text that stands somewhere, with its escapes resolved.
    static func decoded(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        let text = range.map { bytes[$0] }
        let quote = UInt8(ascii: "\"")
        guard text.contains(UInt8(ascii: "\\")), case .string(let decoded)? = try? JSONText.decode([quote] + text + [quote]) else {
            return String(decoding: text, as: UTF8.self)
        }
        return decoded
    }
}
