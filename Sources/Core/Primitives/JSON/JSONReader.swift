/// Reads one JSON text (RFC 8259) byte by byte, and refuses numbers and names that cannot be stored as written.
///
/// It validates the bytes as UTF-8 once at the start, so the bytes between two quotes are always valid text.
package struct JSONReader {
    let bytes: [UInt8]
    /// The offset of the next byte to read.
    package var position = 0
    /// The number of values and names that may still be read from the text.
    private var valuesLeft: Int
    private let valueLimit: Int
    /// The number of open arrays and objects.
    var depth = 0
    /// The first names of the open objects that ``takeMembers(_:)`` reads, the outermost first.
    var names: [JSONName] = []

    /// - Parameters:
    ///   - bytes: the text.
    ///   - limit: the maximum length of the text in bytes. A longer text is refused without being read.
    ///   - valueLimit: the maximum number of values and names in the text.
    package init(_ bytes: [UInt8], limit: Int = .max, valueLimit: Int = .max) throws(JSONError) {
        guard bytes.count <= limit else {
            throw JSONError(.tooLong, "the text has \(bytes.count) bytes; at most \(limit) are allowed", "shorten it")
        }
        self.bytes = bytes
        (self.valueLimit, valuesLeft) = (valueLimit, valueLimit)
        // Skips a byte order mark, which some editors write at the start.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if let offset = invalidOffset(bytes) {
            throw JSONError(.malformed, at: offset, "the text is not UTF-8 there", "write it in UTF-8")
        }
    }

    /// Reads the value that the whole text encodes.
    package mutating func whole() throws(JSONError) -> JSONValue {
        let value = try value()
        try end()
        return value
    }

    /// The byte at the position. After the last byte it is 0, which is never valid in JSON.
    @inline(__always) var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always) mutating func skipBlanks() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    mutating func value() throws(JSONError) -> JSONValue {
        try countValue()
        skipBlanks()
        switch current {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func countValue() throws(JSONError) {
        guard valuesLeft > 0 else {
            throw JSONError(.tooLong, at: position, "the text has more than \(valueLimit) values and names", "send it in parts")
        }
        valuesLeft -= 1
    }

    mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let text = "\(word)"
        guard bytes[position...].starts(with: text.utf8) else { throw unexpected("a value") }
        position += text.utf8.count
        return value
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try open()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        guard try !closes(UInt8(ascii: "]"), isFirst: true) else { return elements }
        repeat { elements.append(try value()) } while try !closes(UInt8(ascii: "]"), isFirst: false)
        return elements
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        let start = position
        try open()
        defer { depth -= 1 }
        guard try !closes(UInt8(ascii: "}"), isFirst: true) else { return JSONObject() }
        var members: [(String, JSONValue)] = []
        repeat {
            try countValue()
            let name = try name().text
            members.append((name, try value()))
        } while try !closes(UInt8(ascii: "}"), isFirst: false)
        var repeated: String?
        if let object = JSONObject(unique: members, repeated: &repeated) { return object }
        throw twice(ExactText(repeated ?? ""), inObjectAt: start)
    }

    /// Reads a name and the colon after it.
    mutating func name() throws(JSONError) -> JSONName {
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
        let name = try text()
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw unexpected("`:`") }
        position += 1
        return JSONName(name)
    }

    mutating func open() throws(JSONError) {
        depth += 1
        guard depth <= Limits.jsonDepth else {
            throw JSONError(
                .tooDeep, at: position, "arrays and objects nest more than \(Limits.jsonDepth) levels deep",
                "nest the values of objects at most \(Limits.valueDepth) levels deep")
        }
        position += 1
    }

    /// Reads the end of an array or object and returns true, or reads the comma between two elements and returns false.
    mutating func closes(_ end: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
        skipBlanks()
        if current == end {
            position += 1
            return true
        }
        if isFirst { return false }
        guard current == UInt8(ascii: ",") else { throw unexpected("`,` or `\(UnicodeScalar(end))`") }
        position += 1
        return false
    }
}

extension JSONReader {
    /// Returns the error for a byte at the position other than the expected one.
    package func unexpected(_ wanted: String) -> JSONError {
        guard position < bytes.count else {
            return JSONError(.malformed, at: position, "the text ends, but \(wanted) is expected", "complete it")
        }
        let byte = bytes[position]
        let isPrintable = (0x21...0x7E).contains(byte)
        let found = isPrintable ? "`\(UnicodeScalar(byte))`" : "the byte 0x" + String(byte, radix: 16, uppercase: true)
        return JSONError(.malformed, at: position, "expected \(wanted), but found \(found)", "correct it there")
    }

    /// Finds the second member of a name in an object that was read, and returns an error with its offset.
    private mutating func twice(_ name: ExactText, inObjectAt start: Int) -> JSONError {
        let error = { (offset: Int) in JSONError.repeated(name.text, at: offset) }
        position = start + 1
        var isThere = false
        while true {
            skipBlanks()
            let place = position
            guard let next = try? self.name() else { return error(start) }
            if ExactText(next.text) == name {
                if isThere { return error(place) }
                isThere = true
            }
            guard (try? value()) != nil, (try? closes(UInt8(ascii: "}"), isFirst: false)) == false else { return error(start) }
        }
    }
}
