import Credentials
import Events
import Muniment
import Permissions
import ServiceSupport
import StoreSupport
import TestSupport
import Testing

@Suite("serve --clock-limits")
struct ClockLimitOptionTests {
    @Test(
        "The option sets how far the clock may lag the newest commit",
        arguments: [
            (option: [String](), isServed: false), (["--clock-limits", "30"], false), (["--clock-limits", "120"], true),
            (["--clock-limits", "none"], true),
        ])
    func behind(option: [String], isServed: Bool) async throws {
        try await withTemporaryFolder { folder in
            let data = folder + "/data"
            let future = systemClock().advanced(bySeconds: 3_600)
            let store = try Store.create(at: data + "/default", options: StoreOptions(clock: { future }))
            _ = try await store.commit(Transaction("user:root", [.register("user:ann")]))
            try store.close()
            let token = try TokenRegistry(dataDirectory: data)
                .create(stores: .all, right: .administer, until: nil, at: systemClock()).secret
            let process = try ServedProcess(data, options: option)
            let answer = try await Curl("http://127.0.0.1:\(process.port)").send(
                "POST", "/v1/stores/default/transactions", token: token,
                json: #"{"as":"user:root","do":[{"op":"register","principal":"user:bob"}]}"#)
            #expect(answer.status == (isServed ? 200 : 503), "\(answer.text)")
        }
    }

    @Test("Any other value is refused at the start", arguments: ["0", "-5", "soon", "999999999"])
    func refused(value: String) throws {
        try withTemporaryFolder { folder in
            let refusal = #expect(throws: ServedProcess.NotListening.self) {
                try ServedProcess(folder, options: ["--clock-limits", value])
            }
            #expect(refusal?.errors.contains("`\(value)` is not a limit on the clock") == true, "\(refusal?.errors ?? "")")
        }
    }
}
