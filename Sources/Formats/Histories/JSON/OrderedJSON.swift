import Events

/// A JSON value with ordered members, for output on one line.
indirect enum OrderedJSON {
    case value(JSONValue)
    case list([OrderedJSON])
    case members([(String, OrderedJSON)])
    /// JSON text from the log.
    case raw([UInt8])

    static let null = OrderedJSON.value(.null)
    static func bool(_ value: Bool) -> OrderedJSON { .value(.bool(value)) }
    static func integer(_ value: Int) -> OrderedJSON { .value(.integer(Int64(value))) }
    static func text(_ text: String) -> OrderedJSON { .value(.string(text)) }
    static func texts(_ texts: [String]) -> OrderedJSON { .list(texts.map(OrderedJSON.text)) }
    static func optional(_ text: String?) -> OrderedJSON { text.map(OrderedJSON.text) ?? .null }

    /// The value without the order of its members.
    var unordered: JSONValue {
        get throws {
            switch self {
            case .value(let value): value
            case .list(let elements): .array(try elements.map { try $0.unordered })
            case .members(let members):
                .object(JSONObject(try members.map { ($0, try $1.unordered) }))
            case .raw(let bytes): try JSONText.decode(bytes)
            }
        }
    }

    /// The value as one line of JSON.
    var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }
}
