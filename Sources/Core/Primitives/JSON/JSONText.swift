/// JSON in the form of stored values: members sorted by the UTF-8 bytes of their names, no blanks, `/` not escaped.
///
/// Equal values have the same text: a whole number that fits 64 bits is written without a point or an exponent, whether it was an
/// integer or a `Double`.
public enum JSONText {
    /// Returns the text of a value in UTF-8. Linear in its size.
    ///
    /// - Throws: ``JSONError`` for a number that JSON cannot represent (NaN or infinity).
    public static func encode(_ value: JSONValue) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        if let number = writer.unwritten {
            throw JSONError(.number, "`\(number)` is not a JSON number", "write a finite one, a text or null")
        }
        return writer.written
    }

    /// Returns the value of a text. Linear in the size of the text.
    ///
    /// Nothing in the text is lost silently: input that cannot be stored as written is an error with its byte offset.
    ///
    /// - Parameters:
    ///   - bytes: one value of RFC 8259 in UTF-8. Blanks around it and a byte order mark before it are allowed.
    ///   - limit: the maximum length of the text in bytes. A longer text is refused without being read.
    ///   - valueLimit: the maximum number of values and names in the text. They take more memory than their bytes: up to 100 bytes each.
    /// - Throws: ``JSONError`` for invalid JSON, a name that occurs twice in an object, a whole number that does not fit 64 bits,
    ///   a number beyond the range of `Double`, and a text that is too long or nests too deeply.
    public static func decode(_ bytes: [UInt8], limit: Int, valueLimit: Int = .max) throws(JSONError) -> JSONValue {
        var reader = try JSONReader(bytes, limit: limit, valueLimit: valueLimit)
        return try reader.whole()
    }

    /// Returns the value of a text of at most ``Limits/jsonBytes``. See ``decode(_:limit:valueLimit:)``.
    public static func decode(_ bytes: [UInt8]) throws(JSONError) -> JSONValue { try decode(bytes, limit: Limits.jsonBytes) }
}
