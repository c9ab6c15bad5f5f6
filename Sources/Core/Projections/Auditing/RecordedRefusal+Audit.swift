public import Events

/// The names of objects and subjects in a refused change, for the audit.
public struct TriedNames: Hashable, Sendable {
    /// The word for the change, such as `grant`; nil if the transaction had no change.
    public let operation: String?
    public let objects: [String]
    public let subjects: [String]
}

extension RecordedRefusal {
    /// The names in the refused change. If the change was too long to store, only the names in the stored part.
    public var triedNames: TriedNames {
        var objects: [String] = []
        var subjects: [String] = []
        let members = tried.map { TriedMembers(in: $0.json).members } ?? []
        let operation = members.first { $0.name == "op" }?.text
        for (name, text) in members {
            switch name {
            case "object", "role", "permission": objects.append(text)
            case "class": objects.append("class:" + text)
            case "subject", "member", "owner": subjects.append(text)
            case "principal":
                if operation == "register" {
                    objects.append(text)
                } else {
                    objects.append("store")
                    subjects.append(text)
                }
            default: break
            }
        }
        return TriedNames(operation: operation, objects: objects, subjects: subjects)
    }

    /// The search terms of the refusal.
    var auditTerms: [AuditTerm] {
        let names = triedNames
        return [AuditTerm(.actor, text: caller)] + (names.operation.map { [AuditTerm(.kind, text: $0)] } ?? [])
            + names.objects.map { AuditTerm(.object, text: $0) } + names.subjects.map { AuditTerm(.subject, text: $0) }
            + (origin.requestID.map { [AuditTerm(.request, text: $0)] } ?? [])
    }
}

/// The text members of a JSON object that may be truncated.
private struct TriedMembers {
    private(set) var members: [(name: String, text: String)] = []
    private let bytes: [UInt8]
    private var offset = 0

    init(in json: String) {
        bytes = Array(json.utf8)
        guard take("{") else { return }
        while let name = text(), take(":") {
            if peek == UInt8(ascii: "\"") {
                guard let text = text() else { return }
                members.append((name, text))
            } else if !skipValue() {
                return
            }
            guard take(",") else { return }
        }
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Reads the next text; returns nil at the end, or if the text is truncated.
    private mutating func text() -> String? {
        let start = offset
        guard skipText(), case .string(let text)? = try? JSONText.decode(Array(bytes[start..<offset])) else { return nil }
        return text
    }

    private mutating func skipText() -> Bool {
        guard take("\"") else { return false }
        while let byte = peek {
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }

    /// Skips a list, an object, a number or a word.
    private mutating func skipValue() -> Bool {
        var depth = 0
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""): guard skipText() else { return false }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                offset += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return true }
                depth -= 1
                offset += 1
            case UInt8(ascii: ",") where depth == 0: return true
            default: offset += 1
            }
        }
        return false
    }
}
