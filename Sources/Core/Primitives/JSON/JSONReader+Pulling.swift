/// Reads a text piece by piece without creating its values: for requests of a known form that use few members.
///
/// The caller takes each value or skips it with ``skip()``. Both check the text against RFC 8259.
extension JSONReader {
    /// The type of the next value, according to its first byte.
    package enum Next: Hashable, Sendable {
        case object, array, text, number, flag, null
    }

    /// Returns the type of the next value without reading it.
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

    /// Reads the next object. A name that occurs twice is an error.
    ///
    /// - Parameter take: receives each name, in the order of the text, and must take or skip the value that follows.
    package mutating func takeMembers(
        _ take: (inout JSONReader, JSONName) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipBlanks()
        try open()
        let first = names.count
        defer {
            depth -= 1
            names.removeLast(names.count - first)
        }
        guard try !closes(UInt8(ascii: "}"), isFirst: true) else { return }
        var others: Set<ExactText> = []
        repeat {
            skipBlanks()
            let start = position
            let name = try name()
            guard isNew(name, since: first, &others) else { throw .repeated(name.text, at: start) }
            try take(&self, name)
        } while try !closes(UInt8(ascii: "}"), isFirst: false)
    }

    /// The names of an object that are compared one by one. A larger object uses a set.
    private static let comparedNames = 16

    /// Notes a name of the innermost object, and returns whether it is its first of this text.
    ///
    /// - Parameters:
    ///   - first: where the names of the object begin in `names`.
    ///   - all: all names of an object with many; empty before.
    private mutating func isNew(_ name: JSONName, since first: Int, _ all: inout Set<ExactText>) -> Bool {
        if names.count - first < JSONReader.comparedNames {
            for index in first..<names.count where names[index] == name { return false }
            names.append(name)
            return true
        }
        if all.isEmpty { all = Set(names[first...].map { ExactText($0.text) }) }
        return all.insert(ExactText(name.text)).inserted
    }

    /// Reads the next array.
    ///
    /// - Parameter take: must take or skip each element.
    package mutating func takeElements(_ take: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        skipBlanks()
        try open()
        defer { depth -= 1 }
        guard try !closes(UInt8(ascii: "]"), isFirst: true) else { return }
        repeat { try take(&self) } while try !closes(UInt8(ascii: "]"), isFirst: false)
    }

    /// Reads the next value, which must be a text.
    package mutating func takeText() throws(JSONError) -> String {
        skipBlanks()
        return try string()
    }

    /// Reads the next value, of any type.
    package mutating func takeValue() throws(JSONError) -> JSONValue { try value() }

    /// Skips the next value. It accepts numbers that cannot be stored exactly, but none beyond the range of `Double` (RFC 7493).
    package mutating func skip() throws(JSONError) {
        switch try next() {
        case .object: try takeMembers { reader, _ throws(JSONError) in try reader.skip() }
        case .array: try takeElements { reader throws(JSONError) in try reader.skip() }
        case .text: _ = try string()
        case .number: try skipNumber()
        case .flag, .null: _ = try value()
        }
    }

    /// Returns the text from an offset to the next byte to read.
    package func text(from start: Int) -> [UInt8] { Array(bytes[start..<position]) }

    /// Throws if anything except blanks follows.
    package mutating func end() throws(JSONError) {
        skipBlanks()
        guard position == bytes.count else { throw unexpected("the end of the text") }
    }

    private mutating func skipNumber() throws(JSONError) {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try digits { _ in } }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits { _ in }
        }
        let hasExponent = current | 0x20 == UInt8(ascii: "e")
        _ = try exponent()
        // Fewer digits without an exponent are always in range.
        guard hasExponent || position - start > 300 else { return }
        guard Double(String(decoding: bytes[start..<position], as: UTF8.self))?.isFinite == true else { throw beyondRange(start) }
    }
}
