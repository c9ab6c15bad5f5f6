/// Reading a text piece by piece, without making its values: for requests of a known form, of which few members count.
///
/// Whoever pulls decides what becomes of each value: takes it, or goes over it with ``skip()``. Everything is held to RFC 8259
/// either way.
extension JSONReader {
    /// What the next value is, as far as its first byte says.
    package enum Next: Hashable, Sendable {
        case object, array, text, number, flag, null
    }

    /// Looks at the value that comes next.
    package mutating func next() throws(JSONError) -> Next {
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .text
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag
        case UInt8(ascii: "n"): return .null
        default: throw unexpected("a value")
        }
    }

    /// Goes through the object that comes next.
    ///
    /// - Parameter take: is given each name, in the order of the text, and takes or skips the value behind it. A name that
    ///   stands twice is given twice.
    package mutating func takeMembers(
        _ take: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipBlanks()
        try open()
        defer { depth -= 1 }
        guard try !closes(UInt8(ascii: "}"), isFirst: true) else { return }
        repeat {
            let name = try name()
            try take(&self, name)
        } while try !closes(UInt8(ascii: "}"), isFirst: false)
    }

    /// Goes through the array that comes next.
    ///
    /// - Parameter take: takes or skips each element.
    package mutating func takeElements(_ take: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        skipBlanks()
        try open()
        defer { depth -= 1 }
        guard try !closes(UInt8(ascii: "]"), isFirst: true) else { return }
        repeat { try take(&self) } while try !closes(UInt8(ascii: "]"), isFirst: false)
    }

    /// The text that comes next.
    package mutating func takeText() throws(JSONError) -> String {
        skipBlanks()
        return try string()
    }

    /// The value that comes next, whatever it is.
    package mutating func takeValue() throws(JSONError) -> JSONValue { try value() }

    /// Goes over the value that comes next. A number may be one that could not be kept.
    package mutating func skip() throws(JSONError) {
        switch try next() {
        case .object: try takeMembers { reader, _ throws(JSONError) in try reader.skip() }
        case .array: try takeElements { reader throws(JSONError) in try reader.skip() }
        case .text: _ = try string()
        case .number: try skipNumber()
        case .flag, .null: _ = try value()
        }
    }

    /// Sees to it that nothing follows.
    package mutating func end() throws(JSONError) {
        skipBlanks()
        guard position == bytes.count else { throw unexpected("the end of the text") }
    }

    private mutating func skipNumber() throws(JSONError) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if current == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        guard current | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
        try skipDigits()
    }

    private mutating func skipDigits() throws(JSONError) {
        guard isAtDigit else { throw unexpected("a digit") }
        while isAtDigit { position += 1 }
    }

    private var isAtDigit: Bool { current &- UInt8(ascii: "0") < 10 }
}
