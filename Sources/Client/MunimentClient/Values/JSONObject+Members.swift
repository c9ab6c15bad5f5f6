internal import Primitives

/// Reads the members of responses.
extension JSONObject {
    func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    func instant(_ name: String) -> Instant? { text(name).flatMap { try? Instant($0) } }

    func flag(_ name: String) -> Bool? { if case .bool(let flag)? = self[name] { flag } else { nil } }

    func object(_ name: String) -> JSONObject? { if case .object(let object)? = self[name] { object } else { nil } }

    func objects(_ name: String) -> [JSONObject]? {
        guard case .array(let elements)? = self[name] else { return nil }
        let objects = elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
        return objects.count == elements.count ? objects : nil
    }

    func texts(_ name: String) -> [String]? {
        guard case .array(let elements)? = self[name] else { return nil }
        let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == elements.count ? texts : nil
    }
}
