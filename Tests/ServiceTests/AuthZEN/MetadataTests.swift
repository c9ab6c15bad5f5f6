import Events
import Service
import Testing

@Suite("AuthZEN: metadata of the decision point")
struct MetadataTests {
    @Test("All addresses begin with the decision point's own address, and those of a store contain its path")
    func addresses() throws {
        for (base, path) in [
            ("https://p.example.com", ""), ("https://p.example.com/", ""), ("http://127.0.0.1:8080", "/stores/acme"),
        ] {
            let document = try JSONText.decode(AuthZENMetadata(base: base, storePath: path).json)
            let point = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
            let expected: JSONObject = [
                "policy_decision_point": .string(point), "access_evaluation_endpoint": .string(point + "/access/v1/evaluation"),
                "access_evaluations_endpoint": .string(point + "/access/v1/evaluations"),
                "search_subject_endpoint": .string(point + "/access/v1/search/subject"),
                "search_resource_endpoint": .string(point + "/access/v1/search/resource"),
                "search_action_endpoint": .string(point + "/access/v1/search/action"),
            ]
            #expect(document == .object(expected))
        }
    }
}
