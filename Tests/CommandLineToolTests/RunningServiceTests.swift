import Foundation
import TestSupport
import Testing

@Suite("The tool with a running service: its changes go through the service, and its output is the same")
struct RunningServiceTests {
    /// Every command that changes the store, in valid and in invalid calls.
    private static let story = [
        "class define doc --creator-privileges read,update,setPermissions --properties title", "class define folder",
        "register user:ann",
        "register user:bob", "register user:bob", "register user:eve --as anonymous", "role create editors", "role create editors",
        "role add user:bob to role:editors", "role add user:bob to role:editors --strict", "object create folder:top",
        #"object create doc:plan --parent folder:top --value '{"title":"Pl\"än\u0001"}'"#, "object create doc:plan",
        "grant user:ann read,update on doc:plan --until 2999-12-31", "grant user:ann read on doc:plan",
        "grant user:ann fly on doc:plan",
        "grant user:bob read on folder:top --as user:bob", "grant user:zoe read on doc:plan", "grant ann read on doc:plan",
        "grant user:ann read on doc:plan --json", "revoke user:ann update on doc:plan",
        "revoke user:ann update on doc:plan --strict",
        #"object write doc:plan --merge '{"pages":3}'"#, "object write doc:plan --value 1 --unchanged-since 1",
        "object move doc:plan to top", "object owner doc:plan to user:bob", "permission define reading for role:editors read",
        "permission attach reading to doc:plan", "permission change reading for role:editors read,update",
        "permission detach reading from doc:plan", "admin appoint user:ann", "admin dismiss user:ann", "admin dismiss user:root",
        "class change doc --properties title,pages", "register user:dan --comment 'joined, the \"third\"'",
        "grant user:dan read on doc:none --comment early", "role remove user:bob from role:editors", "role delete editors",
        "object delete doc:plan", "object delete doc:plan", "object delete doc:%2e%2e%2fä",
        "object create thing:x", "lock --member user:bob", "lock --role again --as user:bob",
    ]

    @Test("Through the service, every change, no-op and refusal has the same output, exit code and log")
    func sameAsWithout() throws {
        try BuiltTool.inFreshFolder { alone in
            try BuiltTool.inFreshFolder { served in
                for tool in [alone, served] { try tool.make("init --open") }
                let service = try ServingTool(served)
                for sentence in RunningServiceTests.story {
                    let (expected, actual) = (try alone.run(sentence), try served.run(sentence))
                    #expect(actual.code == expected.code, "\(sentence): \(actual.errors)")
                    #expect(masked(actual.output) == masked(expected.output), "\(sentence)")
                    #expect(actual.errors == expected.errors, "\(sentence)")
                }
                #expect(try masked(served.make("log").output) == masked(alone.make("log").output))
                #expect(try masked(served.make("refusals").output) == masked(alone.make("refusals").output))
                #expect(try service.stop().code == 0)
                #expect(try served.make("verify").output.hasPrefix("sound"))
            }
        }
    }

    /// Replaces times, which differ each time, and the request ids that the service adds.
    private func masked(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME").replacing(/\s\s[0-9a-f]{16}(?=\n|\s\s\()/, with: "")
    }

    @Test("The story of this suite contains every command with a caller in its help")
    func storyIsComplete() throws {
        try BuiltTool.inFreshFolder { tool in
            let commands = try tool.make("help").lines.filter { $0.hasPrefix("  ") }.compactMap { line in
                line.dropFirst(2).components(separatedBy: "  ").first
            }
            let writing = try commands.filter {
                try tool.make("help \($0)").output.contains("the caller: a user, a thing or anonymous")
            }
            #expect(writing.count >= 20)
            for name in writing {
                #expect(RunningServiceTests.story.contains { $0.hasPrefix(name + " ") }, "\(name)")
            }
        }
    }

    @Test("Queries work while the service runs, and include its changes")
    func questions() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let service = try ServingTool(tool)
            try tool.make("class define doc")
            try tool.make("object create doc:1")
            #expect(try tool.run("check user:ann read doc:1").code == 1)
            try tool.make("grant everyone read on doc:1")
            #expect(try tool.run("check user:ann read doc:1").code == 0)
            try service.stop()
        }
    }

    static let alone = ["import history.jsonl", "rebuild"]

    @Test("A command that needs exclusive access says how to get it, and changes nothing", arguments: alone)
    func needsTheStore(sentence: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            try tool.write(#"{"format":"permission-history/1"}"# + "\n", to: "history.jsonl")
            let service = try ServingTool(tool)
            let result = try tool.run(sentence)
            #expect(result.code == 3)
            #expect(result.errors.contains("stop the service"), "\(result.errors)")
            try service.stop()
            #expect(try tool.run(sentence).code == 0)
        }
    }

    @Test("After a service was killed, the tool finds no running service")
    func killedService() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let service = try ServingTool(tool)
            try tool.make("register user:ann")
            service.kill()
            #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/.muniment/service.json"))
            try tool.make("register user:bob")
            let next = try ServingTool(tool)
            try tool.make("register user:cara")
            try next.stop()
            #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/.muniment/service.json"))
            #expect(try tool.make("log").lines.filter { $0.hasPrefix("r") }.count == 4)
        }
    }

    @Test("Over TLS the results are the same, with a self-signed certificate")
    func tls() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let made = try tool.shell(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=elsewhere -days 2 -keyout k.pem -out c.pem"
            )
            #expect(made.code == 0)
            let service = try ServingTool(tool, ["--tls-certificate", "c.pem", "--tls-key", "k.pem"])
            #expect(service.address.hasPrefix("https://"))
            #expect(try tool.make("register user:ann").output == "revision 1\n")
            try service.stop()
        }
    }

    @Test("The service starts with every kind of key, despite reused memory", arguments: ServerCertificate.KeyKind.allCases)
    func keyKinds(kind: ServerCertificate.KeyKind) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let certificate = try ServerCertificate(kind, in: tool.folder.path)
            let options = ["--tls-certificate", certificate.certificateFile, "--tls-key", certificate.keyFile]
            for environment in [["MALLOC_PERTURB_": "165"], ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"]] {
                let service = try ServingTool(tool, options, environment: environment)
                #expect(service.address.hasPrefix("https://"))
                #expect(try service.stop().code == 0)
            }
        }
    }

    @Test("SIGHUP gives new connections the new certificate, and the tool its key; invalid files change nothing")
    func reload() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            _ = try ServerCertificate(.p256, in: tool.folder.path)
            let service = try ServingTool(tool, ["--tls-certificate", "server.crt", "--tls-key", "server.key"])
            let digest = { try tool.shell("cat .muniment/service.json").output }
            let before = try digest()
            for (wrong, reason) in [
                ("echo nothing >server.key", "belong together (`server.crt` and `server.key`)"),
                ("echo nothing >server.crt", "`server.crt` is not a certificate"),
                ("rm server.crt", "cannot read `server.crt`"), ("chmod 644 server.key", "allows other users to open it"),
            ] {
                _ = try ServerCertificate(.p256, in: tool.folder.path)
                #expect(try tool.shell(wrong).code == 0)
                service.signal(SIGHUP)
                #expect(try service.hasReported(reason))
                #expect(try tool.run("register user:ann").code != 3)
            }
            // A pipe without a writer must not block the later signals.
            _ = try ServerCertificate(.p256, in: tool.folder.path)
            #expect(try tool.shell("rm server.key && mkfifo -m 600 server.key").code == 0)
            service.signal(SIGHUP)
            #expect(try service.hasReported("`server.key`: it is not a regular file"))
            #expect(try tool.shell("rm server.key").code == 0)
            let next = try ServerCertificate(.rsa2048, in: tool.folder.path)
            #expect(try tool.shell("chmod 600 server.key").code == 0)
            service.signal(SIGHUP)
            // The note changes when new connections get the new certificate.
            var isReloaded = false
            for _ in 0..<6_000 where !isReloaded {
                isReloaded = try digest() != before
                if !isReloaded { usleep(20_000) }
            }
            #expect(isReloaded)
            let call = "curl -sS --max-time 120 --cacert \(next.certificateFile) \(service.address)/healthz"
            #expect(try tool.shell(call).code == 0)
            let end = try tool.shell("date -u -d \"$(openssl x509 -enddate -noout -in server.crt | cut -d= -f2)\" +%s").output
            let secret = try tool.make("token create --data . --store * --can administer").output.trimmingCharacters(in: .newlines)
            let metrics = try tool.shell("\(call.replacing("/healthz", with: "/metrics")) --oauth2-bearer \(secret)").output
            #expect(metrics.contains("muniment_certificate_end_timestamp_seconds \(end)"), "\(metrics)")
            #expect(metrics.contains("\nmuniment_faults_total 5\n"), "\(metrics)")
            try tool.make("register user:bob")
            #expect(try service.stop().code == 0)
        }
    }

    @Test("The service refuses at once to start with a pipe as its certificate or key", arguments: ["crt", "key"])
    func startsWithoutPipes(kind: String) throws {
        try BuiltTool.inFreshFolder { tool in
            _ = try ServerCertificate(.p256, in: tool.folder.path)
            #expect(try tool.shell("rm server.\(kind) && mkfifo -m 600 server.\(kind)").code == 0)
            let result = try tool.run(
                "serve --data . --listen 127.0.0.1:0 --tls-certificate server.crt --tls-key server.key")
            #expect(result.code == 3)
            #expect(result.errors.contains("`server.\(kind)`: it is not a regular file"), "\(result.errors)")
        }
    }

    /// Makes a certificate with the given dates, such as `20200101000000Z`, and its key.
    private func certificate(_ tool: BuiltTool, from first: String, until last: String, bits: Int = 2_048) throws {
        let made = try tool.shell(
            """
            rm -rf ca && mkdir ca && touch ca/index && openssl genrsa -out server.key \(bits) && chmod 600 server.key &&
            printf '%s\\n' '[ca]' default_ca=d '[d]' new_certs_dir=ca database=ca/index rand_serial=yes policy=p '[p]' CN=supplied >ca/c &&
            openssl req -new -key server.key -subj /CN=server -out ca/r &&
            openssl ca -config ca/c -batch -notext -md sha256 -selfsign -in ca/r -keyfile server.key -startdate \(first) \
                -enddate \(last) -out server.crt
            """)
        #expect(made.code == 0, "\(made.errors)")
    }

    private static let tls = ["--tls-certificate", "server.crt", "--tls-key", "server.key"]

    @Test("A certificate with an RSA key below 2,048 bits is refused at the start and on SIGHUP")
    func weakKey() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            try certificate(tool, from: "20250101000000Z", until: "20991231000000Z", bits: 1_024)
            let result = try tool.run("serve --data . --listen 127.0.0.1:0 \(Self.tls.joined(separator: " "))")
            #expect(result.code == 3)
            #expect(result.errors.contains("`server.crt` has 1024 bits"), "\(result.errors)")
            try certificate(tool, from: "20250101000000Z", until: "20991231000000Z")
            let service = try ServingTool(tool, Self.tls)
            try certificate(tool, from: "20250101000000Z", until: "20991231000000Z", bits: 1_024)
            service.signal(SIGHUP)
            #expect(try service.hasReported("`server.crt` has 1024 bits"))
            #expect(try service.stop().code == 0)
        }
    }

    @Test(
        "An expired or future certificate is served with a warning at the start, and does not replace a valid one on SIGHUP",
        arguments: [
            ("20200101000000Z", "20210101000000Z", "expired at 2021-01-01T00:00:00Z"),
            ("20980101000000Z", "20991231000000Z", "is not valid before 2098-01-01T00:00:00Z"),
        ])
    func datesOfCertificate(first: String, last: String, problem: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let digest = { try tool.shell("cat .muniment/service.json").output }
            try certificate(tool, from: first, until: last)
            let service = try ServingTool(tool, Self.tls)
            #expect(try service.hasReported("warning the certificate `server.crt` \(problem)"))
            let wrong = try digest()
            try certificate(tool, from: "20250101000000Z", until: "20991231000000Z")
            service.signal(SIGHUP)
            #expect(try service.hasReported("reloaded the certificate"))
            let valid = try digest()
            #expect(valid != wrong)
            try certificate(tool, from: first, until: last)
            service.signal(SIGHUP)
            let refusal = "the service keeps the current certificate: the certificate `server.crt` \(problem)"
            #expect(try service.hasReported(refusal))
            #expect(try digest() == valid)
            #expect(try service.stop().code == 0)
        }
    }

    @Test("The first start creates a token with all permissions; later starts, and starts with existing data, create none")
    func firstToken() throws {
        try BuiltTool.inFreshFolder { tool in
            let first = try ServingTool(tool, lineCount: 2)
            let path = try #require(first.lines[1].firstMatch(of: /is in (.+);/)).output.1
            let file = try String(contentsOf: tool.folder.appending(path: String(path)), encoding: .utf8)
            let token = try #require(file.wholeMatch(of: /(muni_[A-Za-z0-9_-]{43})\n/)).output.1
            let call = { (address: String) in
                try tool.shell(
                    "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' "
                        + #"-d '{"subject":"user:ann","privilege":"read","object":"doc:1"}' "#
                        + "\(address)/v1/stores/default/check")
            }
            #expect(try call(first.address).output == "200")
            #expect(try first.stop().rest.isEmpty)
            let second = try ServingTool(tool)
            #expect(try call(second.address).output == "200")
            #expect(try second.stop().rest.isEmpty)
        }
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            try tool.make("register user:ann")
            let service = try ServingTool(tool)
            #expect(try service.stop().rest.isEmpty)
        }
    }
}
