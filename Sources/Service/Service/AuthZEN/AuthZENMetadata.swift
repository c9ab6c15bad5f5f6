internal import Events

/// The metadata of a policy decision point under `/.well-known/authzen-configuration`.
package struct AuthZENMetadata: Hashable, Sendable {
    /// The well-known path of the store that the root paths serve. For another store, the store's path is appended.
    package static let wellKnownPath = "/.well-known/authzen-configuration"

    /// The address of the decision point, the prefix of all others: without a query, a fragment or a slash at the end.
    let decisionPoint: String

    /// - Parameters:
    ///   - base: the public address of the service, such as `https://permissions.example.com`; a slash at its end is removed.
    ///   - storePath: the path of a store, such as `/stores/acme`; empty for the store that the root paths serve.
    package init(base: String, storePath: String = "") {
        decisionPoint = String(base.reversed().drop { $0 == "/" }.reversed()) + storePath
    }

    /// The document, as JSON.
    package var json: [UInt8] {
        let endpoints = [
            ("access_evaluation_endpoint", "evaluation"), ("access_evaluations_endpoint", "evaluations"),
            ("search_subject_endpoint", "search/subject"), ("search_resource_endpoint", "search/resource"),
            ("search_action_endpoint", "search/action"),
        ]
        var writer = JSONWriter()
        writer.writeMembers(
            [("policy_decision_point", decisionPoint)] + endpoints.map { ($0, "\(decisionPoint)/access/v1/\($1)") }
        ) { $0.write($1) }
        return writer.written
    }
}
