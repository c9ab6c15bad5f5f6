import Testing

@Suite("The file of settings for accounts: what it says is checked before anybody waits for the service")
struct AccountsFileTests {
    /// What is in the file, and what is said about it.
    static let rows: [(file: String, message: String)] = [
        ("", "it is no JSON"),
        ("{", "it is no JSON"),
        ("[]", "the file is no JSON object"),
        ("{}", "`mail` is missing"),
        (#"{"mail":"outbox"}"#, "`mail` is no JSON object"),
        (#"{"mail":{}}"#, "`mail` has to say one way"),
        (#"{"mail":{"outbox":""}}"#, "`mail.outbox` is no text"),
        (#"{"mail":{"outbox":7}}"#, "`mail.outbox` is no text"),
        (#"{"mail":{"inbox":"x"}}"#, "there are `outbox`, `smtp`"),
        (#"{"mail":{"outbox":"x","smtp":{"address":"smtp://localhost","from":"a@b"}}}"#, "`mail` has to say one way"),
        (#"{"mail":{"smtp":{"from":"a@example.com"}}}"#, "`mail.smtp.address` is missing"),
        (#"{"mail":{"smtp":{"address":"smtps://mail.example.com"}}}"#, "`mail.smtp.from` is missing"),
        (#"{"mail":{"smtp":{"address":"smtps://mail.example.com","from":"nobody"}}}"#, "`nobody` is nobody who sends mails"),
        (#"{"mail":{"smtp":{"address":"https://mail.example.com","from":"a@example.com"}}}"#, "smtps://HOST:465"),
        (#"{"mail":{"smtp":{"address":"smtps://h","from":"a@example.com","user":"a"}}}"#, "goes with `passwordFile`"),
        (
            #"{"mail":{"smtp":{"address":"smtps://h","from":"a@example.com","user":"a","passwordFile":"none"}}}"#, "none"
        ),
        (#"{"mail":{"outbox":"x"},"store":["default"]}"#, "did you mean `stores`?"),
        (#"{"mail":{"outbox":"x"},"stores":"default"}"#, "`stores` is no list of texts"),
        (#"{"mail":{"outbox":"x"},"stores":[]}"#, "`stores` is no list of texts"),
        (#"{"mail":{"outbox":"x"},"stores":["../x"]}"#, "`../x`, which is no name of a store"),
        (#"{"mail":{"outbox":"x"},"stores":["a","a"]}"#, "has `a` twice"),
        (#"{"mail":{"outbox":"x"},"stores":["nowhere"]}"#, "there is none in `site`"),
        (#"{"mail":{"outbox":"x"},"accessSeconds":"600"}"#, "`accessSeconds` is no whole number from 10 to 86400"),
        (#"{"mail":{"outbox":"x"},"accessSeconds":1}"#, "`accessSeconds` is no whole number"),
        (#"{"mail":{"outbox":"x"},"idleSeconds":100}"#, "must not be less"),
        (#"{"mail":{"outbox":"x"},"recentSignInSeconds":0}"#, "`recentSignInSeconds` is no whole number"),
        (#"{"mail":{"outbox":"x"},"providers":{}}"#, "`providers` is no list"),
        (#"{"mail":{"outbox":"x"},"providers":["acme"]}"#, "`providers[0]` is no JSON object"),
        (provider(#""id":"Acme""#), "`Acme` is no name of a provider"),
        (provider(#""id":"password""#), "`password` is taken"),
        (provider(#""kind":"oauth1""#), "there is `openid`"),
        (provider(#""issuer":"login""#), "`login` is no address"),
        (provider(#""issuer":"http://login.example.com""#), "is not encrypted"),
        (provider(#""redirectURIs":["http://app.example.com/"]"#), "is no address to send people back to"),
        (provider(#""redirectURIs":[]"#), "`providers[0].redirectURIs` is no list of texts"),
        (provider(#""clientSecretFile":"nothing""#), "nothing"),
        (provider(#""clientSecretFile":"empty""#), "is empty"),
        (provider(#""trustsEmail":"yes""#), "is neither true nor false"),
        (provider(#""priority":-1"#), "`providers[0].priority` is no whole number"),
        (#"{"mail":{"outbox":"out"},"serviceName":"X\r\nBcc: a@b.example"}"#, "`serviceName` is no name for mails"),
        (provider(#""secret":"x""#), "`providers[0].secret` is not known"),
    ]

    /// A file with a provider one member of which is wrong.
    private static func provider(_ member: String) -> String {
        let name = member.split(separator: "\"")[0]
        let members =
            [
                #""id":"acme""#, #""kind":"openid""#, #""issuer":"https://login.example.com""#, #""clientID":"muniment""#,
                #""redirectURIs":["https://app.example.com/"]"#,
            ].filter { $0.split(separator: "\"")[0] != name } + [member]
        return #"{"mail":{"outbox":"x"},"providers":[{\#(members.joined(separator: ","))}]}"#
    }

    @Test("What is wrong is named with its place and a remedy, and no service is started")
    func table() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write("", to: "empty")
            for row in Self.rows {
                try tool.write(row.file, to: "accounts.json")
                let result = try tool.run("serve --data site --listen 127.0.0.1:0 --accounts accounts.json")
                #expect(result.code == 2 || row.message.contains("there is none"), "\(row.file): \(result.code) \(result.errors)")
                #expect(result.errors.contains(row.message), "\(row.file): \(result.errors)")
                #expect(result.output.isEmpty, "\(row.file)")
            }
            let missing = try tool.run("serve --data site --listen 127.0.0.1:0 --accounts nowhere.json")
            #expect(missing.code == 2 && missing.errors.contains("nowhere.json"))
        }
    }
}
