import Events

/// Writes JSON on one line: no blanks, slashes as they are, the members of a plain value by their UTF-8 bytes.
struct JSONLineWriter {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func write(_ json: OrderedJSON) {
        switch json {
        case .value(let value): write(value)
        case .list(let elements): writeList(elements) { $0.write($1) }
        case .members(let members): writeMembers(members) { $0.write($1) }
        // A line end in JSON can only stand between values, where a blank does as well.
        case .raw(let text): bytes.append(contentsOf: text.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        }
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(String(value))
        case .number(let value): append("\(value)")
        case .string(let value): write(value)
        case .array(let elements): writeList(elements) { $0.write($1) }
        case .object(let members):
            let sorted = members.map { ($0.key, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            writeMembers(sorted) { $0.write($1) }
        }
    }

    private mutating func writeList<Element>(_ elements: [Element], _ write: (inout JSONLineWriter, Element) -> Void) {
        append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            write(&self, element)
        }
        append("]")
    }

    private mutating func writeMembers<Value>(_ members: [(String, Value)], _ write: (inout JSONLineWriter, Value) -> Void) {
        append("{")
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { append(",") }
            self.write(name)
            append(":")
            write(&self, value)
        }
        append("}")
    }

    private mutating func write(_ text: String) {
        append("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case ..<0x20: append((byte < 0x10 ? "\\u000" : "\\u001") + String(byte & 0x0F, radix: 16))
            default: bytes.append(byte)
            }
        }
        append("\"")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
