import Events

extension JSONWriter {
    /// Writes JSON whose members keep their order.
    mutating func write(_ json: OrderedJSON) {
        switch json {
        case .value(let value): write(value)
        case .list(let elements): writeList(elements) { $0.write($1) }
        case .members(let members): writeMembers(members) { $0.write($1) }
        // A line end in JSON can only stand between values, where a blank does as well.
        case .raw(let text): raw(String(decoding: text.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self))
        }
    }
}
