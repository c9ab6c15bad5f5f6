import ServiceSupport
import Testing

extension Curl {
    /// Checks that changes of a store get the status 503, that the service reports one such store, and that it serves the store `whole`.
    func expectUnserved(_ store: String, token: String) async throws {
        let change = #"{"as":"user:root","do":[{"op":"register","principal":"user:bob"}]}"#
        #expect(try await send("POST", "/v1/stores/\(store)/transactions", token: token, json: change).status == 503)
        #expect(try await send("POST", "/v1/stores/whole/transactions", token: token, json: change).status == 200)
        let unready = try await send("GET", "/readyz")
        #expect(unready.status == 503 && unready.text.contains("a store is not served"), "\(unready.text)")
        let metrics = try await send("GET", "/metrics", token: token).text
        for line in [
            "muniment_unserved_stores 1", "muniment_ready 0", "muniment_store_served{store=\"\(store)\"} 0",
            "muniment_store_served{store=\"whole\"} 1",
        ] { #expect(metrics.contains("\n\(line)\n"), "\(metrics)") }
    }
}
