import Foundation
import TestSupport
import Testing

@Suite("An error about the value of an option names the option")
struct OptionValueTests {
    private static let calls: [(call: String, message: String)] = [
        ("check user:ann read doc:plan --at xyz", "check: --at: `xyz` is not a point in time"),
        ("log --from xyz", "log: --from: `xyz` is not a point in time"),
        ("log --to xyz", "log: --to: `xyz` is not a point in time"),
        ("log --limit 0", "log: --limit: `0` is not a count"),
        ("log --format xml", "log: --format: `xml` is not a format"),
        ("export --from 2024-01-01", "export: --from: `2024-01-01` is not a revision"),
        ("grant user:ann read on doc:plan --until soon", "grant: --until: `soon` is not a time"),
        ("grant user:ann read on doc:plan --as role:editors", "grant: --as: `role:editors` cannot act"),
        ("grant user:ann read on doc:plan --unchanged-since x", "grant: --unchanged-since: `x` is not a revision"),
        ("object create doc:two --value {", "object create: --value: `{` is not JSON"),
        ("object write doc:two --merge {", "object write: --merge: `{` is not JSON"),
        ("what user:ann read --class a:b", "what: --class: `a:b` is not a class"),
        ("object list doc --where {", "object list: --where: `{` is not JSON"),
        ("audit --actor ann", "audit: --actor: `ann`"),
        ("audit --outcome maybe", "audit: --outcome: `maybe` is not an outcome"),
        ("diff user:ann --from 1 --privilege ,", "diff: --privilege: `,` contains no privilege"),
        ("lock --member ann", "lock: --member: `ann`"),
        ("token create --data . --store Demo/x --can ask", "token create: --store: `Demo/x` is a path"),
        ("token create --data . --store demo --can read", "token create: --can: `read` is not a right"),
        ("import x.csv --from xml --source s", "import: --from: `xml` is not a format"),
        ("decisions --data . --only maybe", "decisions: --only: `maybe` is not an outcome"),
        ("serve --data d --listen nowhere", "serve: --listen: `nowhere` is not an address"),
        ("serve --data d --head-limit 1", "serve: --head-limit: `1` is not a head size"),
        ("serve --data d --connections x", "serve: --connections: `x` is not a count"),
        ("serve --data d --public-address x", "serve: --public-address: `x` is not a public address"),
        ("serve --data d --clock-limits x", "serve: --clock-limits: `x` is not a limit"),
        ("serve --data d --request-log x", "serve: --request-log: `x` is not a format"),
        ("serve --data d --rate-limit x", "serve: --rate-limit: `x` is not a count"),
        ("serve --data d --deadline x=1", "serve: --deadline: `x` is not a route"),
        ("serve --data d --subject-types x", "serve: --subject-types: `x` does not map"),
        ("serve --data d --allow-host https://x", "serve: --allow-host: `https://x` is not a host name"),
        ("serve --data d --allow-host a.example,*.b.example", "serve: --allow-host: `*.b.example` is not a host name"),
        ("serve --data d --allow-host x:80", "serve: --allow-host: `x:80` is not a host name"),
        ("serve --data d --allow-host 10.0.0.1", "serve: --allow-host: `10.0.0.1` is an IP address"),
        ("serve --data d --allow-origin x", "serve: --allow-origin: `x` is not an origin"),
        ("serve --data d --trusted-proxies x", "serve: --trusted-proxies: `x` is not the address"),
        ("serve --data d --anonymous X", "serve: --anonymous: `X` contains no store name"),
        ("serve --data d --decision-log X", "serve: --decision-log: `X` contains no store name"),
    ]

    @Test("The message begins with the command and the option, then the value")
    func names() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            for (call, message) in Self.calls {
                let result = try tool.run(call)
                #expect(result.code == 2 && result.errors.contains("muniment: " + message), "\(call): \(result.errors)")
            }
        }
    }

    @Test("A value from the environment or a configuration file names the option too")
    func otherSources() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(#"{"data":"d","rate-limit":"x"}"#, to: "c.json")
            #expect(try tool.run("serve --config c.json").errors.contains("serve: --rate-limit: `x` is not a count"))
            let variable = try tool.shell("MUNIMENT_DEADLINE=x \"$muniment\" serve --data d")
            #expect(variable.errors.contains("serve: --deadline: `x` is not a count"), "\(variable.errors)")
        }
    }
}
