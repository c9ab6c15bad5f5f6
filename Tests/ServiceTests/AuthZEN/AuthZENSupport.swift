import Events
import Muniment
import Permissions
import Service
import StoreSupport

/// Sends AuthZEN requests to a store.
extension StoreFixture {
    func evaluation(_ body: String, for asker: QueryScope = .anyone) throws -> JSONValue {
        try JSONText.decode(AuthZEN(store, for: asker).evaluation(Array(body.utf8)))
    }

    func evaluations(_ body: String, for asker: QueryScope = .anyone) throws -> JSONValue {
        try JSONText.decode(AuthZEN(store, for: asker).evaluations(Array(body.utf8)).json)
    }

    func search(_ kind: String, _ body: String, for asker: QueryScope = .anyone) throws -> JSONValue {
        let (authZEN, body) = (AuthZEN(store, for: asker), Array(body.utf8))
        return try JSONText.decode(
            kind == "subject"
                ? authZEN.searchSubjects(body) : kind == "resource" ? authZEN.searchResources(body) : authZEN.searchActions(body))
    }

    /// Returns the decision on `TYPE:ID action TYPE:ID`.
    func decides(_ subject: String, _ action: String, _ resource: String, context: String? = nil) throws -> Bool {
        try evaluation(request(subject, action, resource, context: context))["decision"] == .bool(true)
    }
}

/// Returns the members of a request. A subject or resource without a colon has no id.
func request(_ subject: String?, _ action: String?, _ resource: String?, context: String? = nil, more: String? = nil) -> String {
    let members = [
        subject.map { "\"subject\":" + entity($0) }, action.map { "\"action\":{\"name\":\"\($0)\"}" },
        resource.map { "\"resource\":" + entity($0) }, context.map { "\"context\":" + $0 }, more,
    ]
    return "{" + members.compactMap(\.self).joined(separator: ",") + "}"
}

private func entity(_ text: String) -> String {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 1 ? "{\"type\":\"\(text)\"}" : "{\"type\":\"\(parts[0])\",\"id\":\"\(parts[1])\"}"
}

extension JSONValue {
    /// The elements of a list, or an empty array if this value is not a list.
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The decisions of a response to several evaluations.
    var decisions: [Bool] { self["evaluations"]?.elements.map { $0["decision"] == .bool(true) } ?? [] }

    /// The results of a search, each as `TYPE:ID` or as the name of an action.
    var results: [String] {
        self["results"]?.elements.map { result in
            result["name"]?.text ?? "\(result["type"]?.text ?? "?"):\(result["id"]?.text ?? "?")"
        } ?? []
    }

    var nextToken: String? { self["page"]?["next_token"]?.text }
}
