import Events
import Permissions

/// A JSON value with ordered members, for output on one line.
indirect enum OrderedJSON {
    case value(JSONValue)
    case list([OrderedJSON])
    case members([(String, OrderedJSON)])
    case change(Change)

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
            case .change: try JSONText.decode(Array(text.utf8))
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

extension JSONWriter {
    /// Writes JSON and keeps the order of members.
    mutating func write(_ json: OrderedJSON) {
        switch json {
        case .value(let value): write(value)
        case .list(let elements): writeList(elements) { $0.write($1) }
        case .members(let members): writeMembers(members) { $0.write($1) }
        case .change(let change): change.write(into: &self)
        }
    }
}
