internal import Primitives

/// Reads the members of responses.
extension JSONObject {
    func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    func instant(_ name: String) -> Instant? { try? self[name]?.readInstant() }

    func flag(_ name: String) -> Bool? { try? self[name]?.readFlag() }

    func object(_ name: String) -> JSONObject? { try? self[name]?.readMembers() }

    func objects(_ name: String) -> [JSONObject]? {
        try? self[name]?.readList("a list") { value throws(MemberProblem) in try value.readMembers() }
    }

    func texts(_ name: String) -> [String]? { try? self[name]?.readTexts() }
}
