import Foundation
import TestSupport
import Testing

@Suite("`serve` takes options from the command line, the environment and a file")
struct ConfigurationTests {
    /// Runs `serve --check` with environment variables and options.
    private func check(_ tool: BuiltTool, _ variables: String = "", _ options: String = "") throws -> BuiltTool.Result {
        try tool.shell("\(variables) \"$muniment\" serve --check \(options)")
    }

    private func unknown(_ store: String) -> String {
        "note     --anonymous: the store `\(store)` does not exist; correct the name, or create the store with `muniment init --store "
            + "data/\(store)`"
    }

    @Test("An option of the command line has precedence over the environment, and the environment over the file")
    func precedence() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(
                #"{"data":"data","listen":"127.0.0.1:0","rate-limit":50,"insecure":false,"anonymous":["a","b"],"request-log":"text"}"#,
                to: "service.json")
            let result = try check(
                tool, "MUNIMENT_REQUEST_LOG=json MUNIMENT_RATE_LIMIT=60 MUNIMENT_DEADLINE= MUNIMENT_OTHER=1",
                "--config service.json --request-log none")
            #expect(result.code == 0, "\(result.errors)")
            #expect(
                result.lines == [
                    "setting  anonymous = a,b  (service.json)", "setting  config = service.json  (command line)",
                    "setting  data = data  (service.json)", "setting  insecure = no  (service.json)",
                    "setting  listen = 127.0.0.1:0  (service.json)", "setting  rate-limit = 60  (MUNIMENT_RATE_LIMIT)",
                    "setting  request-log = none  (command line)",
                    "note     the variable `MUNIMENT_OTHER` sets no option; unset it, or correct its name",
                    "start    creates the folder `data`", "start    creates the store `default` and a token with all rights",
                    unknown("a"), unknown("b"), "start    listens on http://127.0.0.1:0",
                ])
            #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "data").path), "a check changes nothing")
            #expect(
                try check(tool, "MUNIMENT_CONFIG=service.json").output
                    == check(tool, "", "--config service.json").output
                    .replacing("(command line)", with: "(MUNIMENT_CONFIG)"))
        }
    }

    @Test("A configured service starts with the values of its file and stops")
    func started() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(#"{"listen":"127.0.0.1:0","data":"data","request-log":"json"}"#, to: "service.json")
            let service = try ServingTool(tool, call: "serve --config service.json", lineCount: 2)
            #expect(service.address.hasPrefix("http://127.0.0.1:"))
            #expect(try service.hasReported(#""level":"info","message":"listens on http"#))
            #expect(try service.stop().code == 0)
        }
    }

    @Test(
        "An invalid configuration is refused with the key, the reason and the remedy",
        arguments: [
            (#"{"lisen":"127.0.0.1:0"}"#, "unknown key `lisen` in `c.json`; did you mean `listen`?"),
            (#"{"store":"x"}"#, "unknown key `store` in `c.json`; its keys are the options of the command without `--`"),
            (#"{"check":true}"#, "unknown key `check`"), (#"{"config":"d.json"}"#, "unknown key `config`"),
            (#"{"listen":"a","listen":"b"}"#, "the name `listen` appears twice"),
            (#"{"insecure":"yes"}"#, "`insecure` in `c.json` is not a truth value; write true or false"),
            (#"{"listen":null}"#, "`listen` in `c.json` has a value of the wrong type"),
            (#"{"rate-limit":1.5}"#, "`rate-limit` in `c.json` has a value of the wrong type"),
            (#"{"anonymous":["a,b"]}"#, "`anonymous` in `c.json` has an element that is not a text without commas"),
            (#"{"listen":"nowhere"}"#, "`nowhere` is not an address to listen on"), ("[]", "`c.json` is not a JSON object"),
            ("listen: x", "`c.json` is not JSON"),
        ])
    func invalid(text: String, message: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(text, to: "c.json")
            let result = try check(tool, "", "--data data --config c.json")
            #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
            #expect(try check(tool, "", "--config none.json").code == 2)
            let checking = try tool.shell("MUNIMENT_CHECK=yes \"$muniment\" serve --data data --listen nowhere")
            #expect(
                checking.code == 2 && checking.errors.contains("the variable `MUNIMENT_CHECK` cannot be set"), "\(checking.errors)")
            let variable = try check(tool, "MUNIMENT_INSECURE=on", "--data data")
            #expect(
                variable.errors.contains("the variable `MUNIMENT_INSECURE` takes yes, no, true or false, not `on`"),
                "\(variable.errors)")
        }
    }

    @Test(
        "A configuration that others can change, or that has a password and can be read, is refused; so is a password in an option")
    func passwords() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(#"{"listen":"127.0.0.1:0"}"#, to: "c.json", mode: 0o666)
            let changeable = try check(tool, "", "--data data --config c.json")
            #expect(changeable.code == 2)
            #expect(changeable.errors.contains("its mode 0666 allows other users to change it"), "\(changeable.errors)")
            for address in ["postgresql://m:hush@db/m", "postgres://m@db/m?sslmode=require&password=hush"] {
                try tool.write(#"{"listen":"127.0.0.1:0","log":"\#(address)"}"#, to: "c.json", mode: 0o644)
                let readable = try check(tool, "", "--data data --config c.json")
                #expect(readable.code == 2)
                #expect(
                    readable.errors.contains("is secret, but its mode 0644 allows other users to open it"), "\(readable.errors)")
                for option in ["serve --data data --log \(address)", "log move --to=\(address)", "log copy --log \(address)"] {
                    let shown = try tool.run(option)
                    #expect(shown.code == 2)
                    #expect(shown.errors.contains("shows the password in this address to every user"), "\(shown.errors)")
                    #expect(!(shown.errors + readable.errors).contains("hush"))
                }
            }
            try tool.write(#"{"listen":"127.0.0.1:0","log":"postgresql://m@db/m?user=a:b"}"#, to: "c.json", mode: 0o644)
            #expect(try !check(tool, "", "--data data --config c.json").errors.contains("is secret"))
        }
    }

    @Test("`--check` reports every problem that would prevent a start, and changes nothing")
    func problems() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store data/default")
            let service = try ServingTool(tool, call: "serve --data data --listen 127.0.0.1:0", lineCount: 2)
            let port = service.address.split(separator: ":").last.map(String.init) ?? ""
            let before = try tool.shell("ls -laR --time-style=full-iso data | sha256sum").output
            let own = try check(tool, "", "--data data --listen 127.0.0.1:\(port)")
            #expect(
                own.code == 0 && own.output.contains("note     a service runs on `data` now, at \(service.address)"),
                "\(own.output)")
            #expect(own.output.contains("start    serves the store `default`"))
            let inside = try check(tool, "", "--data data/default/log --listen 127.0.0.1:0")
            #expect(inside.code == 2 && inside.errors.contains("is inside the store"), "\(inside.output)")
            let taken = try check(tool, "", "--data other --listen 127.0.0.1:\(port)")
            #expect(taken.code == 1 && taken.output.contains("problem  cannot listen on 127.0.0.1 port \(port)"), "\(taken.output)")
            #expect(try tool.shell("ls -laR --time-style=full-iso data | sha256sum").output == before)
            try service.stop()
            #expect(try tool.shell("mv data/default data/moved").code == 0)
            let missing = try check(tool, "", "--data data --listen 127.0.0.1:0")
            #expect(missing.code == 1 && missing.output.contains("problem  "), "\(missing.output)")
            try tool.write("no", to: "crt.pem")
            try tool.write("no", to: "key.pem")
            let certificate = try check(
                tool, "", "--data data2 --listen 127.0.0.1:0 --tls-certificate crt.pem --tls-key key.pem")
            #expect(certificate.code == 1 && certificate.output.contains("problem  "), "\(certificate.output)")
        }
    }
}
