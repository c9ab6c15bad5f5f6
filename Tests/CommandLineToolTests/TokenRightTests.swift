import Foundation
import TestSupport
import Testing

@Suite("Rights of tokens")
struct TokenRightTests {
    @Test("`token create --can observe` makes a token that opens the metrics, and nothing else")
    func observe() throws {
        try BuiltTool.inFreshFolder { tool in
            let service = try ServingTool(tool, call: "serve --data data --listen 127.0.0.1:0", lineCount: 2)
            let create = "token create --data data --store default"
            let secret = try tool.make("\(create) --can observe --comment prometheus").output.trimmingCharacters(in: .newlines)
            let asking = try tool.make("\(create) --can ask").output.trimmingCharacters(in: .newlines)
            #expect(try tool.make("token list --data data").output.contains("observe     default"))
            func status(_ token: String, _ path: String) throws -> String {
                try tool.shell(
                    "curl -sS --max-time 600 -o body -w '%{http_code}' --oauth2-bearer \(token) \(service.address)\(path)"
                ).output.trimmingCharacters(in: .newlines)
            }
            #expect(try status(secret, "/metrics") == "200")
            #expect(try tool.shell("cat body").output.contains("muniment_takes_writes{store=\"default\"} 1"))
            #expect(try status(asking, "/metrics") == "403")
            for path in ["caller", "administrators", "history?name=user:root", "export", "audit", "names"] {
                #expect(try status(secret, "/v1/stores/default/" + path) == "403", "\(path)")
            }
            #expect(try status(secret, "/v1/stores") == "403")
            #expect(try status(secret, "/readyz") == "200")
            let refused = try tool.shell("\"$muniment\" \(create) --can observe --as user:ann")
            #expect(refused.code == 2 && refused.errors.contains("`--as` requires `--can act`"), "\(refused.errors)")
            let unknown = try tool.shell("\"$muniment\" \(create) --can watch")
            #expect(unknown.code == 2 && unknown.errors.contains("write ask, act, observe or administer"), "\(unknown.errors)")
            #expect(try service.stop().code == 0)
        }
    }
}
