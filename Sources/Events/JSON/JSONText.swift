/// JSON as objects' values are kept: members by the UTF-8 bytes of their names, no blanks, no `/` escaped.
///
/// Values that are equal have the same text: a whole number that fits 64 bits is written without a point or an exponent, whether
/// it was an integer or a `Double`.
public enum JSONText {
    /// The text of a value, in UTF-8. Linear in its size.
    ///
    /// - Throws: ``JSONError`` for a number that JSON does not have: an infinite one, or none at all.
    public static func encode(_ value: JSONValue) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        if let number = writer.unwritten {
            throw JSONError(.number, "`\(number)` is no number of JSON", "write a finite one, a text or null")
        }
        return writer.written
    }

    /// The value that a text stands for. Linear in the size of the text.
    ///
    /// Nothing in the text is lost without a word: what cannot be kept as it is written is an error that says at which byte.
    ///
    /// - Parameters:
    ///   - bytes: one value of RFC 8259 in UTF-8, blanks around it and a byte order mark before it allowed.
    ///   - limit: how many bytes the text may have; a longer one is refused before it is looked at.
    /// - Throws: ``JSONError`` for what is no JSON, a name that stands twice in an object, a whole number that does not fit 64
    ///   bits, a number beyond the range of `Double`, and what is too long or nests too deeply.
    public static func decode(_ bytes: [UInt8], limit: Int) throws(JSONError) -> JSONValue {
        guard bytes.count <= limit else {
            throw JSONError(.tooLong, "the text has \(bytes.count) bytes; at most \(limit) are allowed", "shorten it")
        }
        var reader = try JSONReader(bytes)
        return try reader.whole()
    }

    /// The value that a text of at most ``Limits/jsonBytes`` stands for, as ``decode(_:limit:)`` says.
    public static func decode(_ bytes: [UInt8]) throws(JSONError) -> JSONValue { try decode(bytes, limit: Limits.jsonBytes) }
}
