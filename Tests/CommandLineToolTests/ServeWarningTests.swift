import Foundation
import TestSupport
import Testing

@Suite("`serve` warns of names in its options that do not exist")
struct ServeWarningTests {
    private static let options =
        "--decision-log defualt --anonymous second,default --issuer-stores * --issuer https://id.example.com "
        + "--audience me"
    private static let environment = [
        "MUNIMENT_DEADLIN": "secret", "MUNIMENT_TOKENS": "secret", "MUNIMENT_CONFIG": "", "MUNIMENT_STORE": "x",
    ]

    private static let warnings = [
        "the variable `MUNIMENT_DEADLIN` sets no option; did you mean `MUNIMENT_DEADLINE`?",
        "the variable `MUNIMENT_TOKENS` sets no option; unset it, or correct its name",
        "--decision-log: the store `defualt` does not exist; did you mean `default`?",
        "--anonymous: the store `second` does not exist; correct the name, or create the store with `muniment init --store data/second`",
    ]

    @Test("A start warns of unknown variables, without their values, and of stores that do not exist, and serves")
    func start() throws {
        try BuiltTool.inFreshFolder { tool in
            let call = "serve --data data --listen 127.0.0.1:0 \(Self.options)"
            let service = try ServingTool(tool, call: call, lineCount: 2, environment: Self.environment)
            for warning in Self.warnings { #expect(try service.hasReported("warning " + warning), "\(warning)") }
            #expect(try service.stop().code == 0)
        }
    }

    @Test(
        "A start and `--check` warn of an issuer without a prefix, and refuse an invalid prefix",
        arguments: ["", "=user:", "=user:corp/"])
    func issuer(prefix: String) throws {
        try BuiltTool.inFreshFolder { tool in
            let options = "--data data --listen 127.0.0.1:0 --audience me --issuer https://id.example.com"
            let warning = "--issuer: `https://id.example.com` can name every user of a store, except administrators"
            let check = try tool.shell("\"$muniment\" serve --check \(options)\(prefix)")
            #expect(check.code == 0, "\(check.output)")
            #expect(check.output.contains(warning) == prefix.isEmpty, "\(check.output)")
            let service = try ServingTool(tool, call: "serve \(options)\(prefix)", lineCount: 2)
            if prefix.isEmpty { #expect(try service.hasReported("warning " + warning)) }
            #expect(try service.stop().code == 0)
            for wrong in ["corp/", "user:corp"] {
                let refused = try tool.shell("\"$muniment\" serve \(options)=\(wrong)")
                #expect(refused.code == 2)
                #expect(refused.errors.contains("`\(wrong)` is not a prefix of users"), "\(refused.errors)")
            }
        }
    }

    @Test("`--check` prints the same as notes; stores that exist cause none")
    func check() throws {
        try BuiltTool.inFreshFolder { tool in
            let variables = Self.environment.map { "\($0)=\($1)" }.joined(separator: " ")
            let call = "\(variables) \"$muniment\" serve --check --data data --listen 127.0.0.1:0 "
            let result = try tool.shell(call + Self.options.replacing("*", with: "'*'"))
            #expect(result.code == 0, "\(result.output) \(result.errors)")
            for warning in Self.warnings { #expect(result.lines.contains("note     " + warning), "\(result.output)") }
            #expect(
                !result.output.contains("secret") && !result.output.contains("the store `default` does not exist"),
                "\(result.output)")
            for store in ["defualt", "second"] { try tool.make("init --store data/\(store)") }
            #expect(try !tool.shell(call + "--decision-log defualt --anonymous second").output.contains("does not exist"))
        }
    }
}
