import Events

extension JSONWriter {
    /// Writes JSON and keeps the order of members.
    mutating func write(_ json: OrderedJSON) {
        switch json {
        case .value(let value): write(value)
        case .list(let elements): writeList(elements) { $0.write($1) }
        case .members(let members): writeMembers(members) { $0.write($1) }
        // In JSON, a line end can occur only between values, so a blank can replace it.
        case .raw(let text): raw(String(decoding: text.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self))
        }
    }
}
