import Credentials
import Foundation
import Identity
import IdentitySupport
import Mail
import OpenIDConnect
import Service
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("The settings file for accounts is checked before the service starts")
struct AccountsFileTests {
    /// The content of the file, and the expected message.
    static let rows: [(file: String, message: String)] = [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "the file is not a JSON object"),
        ("{}", "`mail` is missing"),
        (#"{"mail":"outbox"}"#, "`mail` is not a JSON object"),
        (#"{"mail":{}}"#, "`mail` must have exactly one member"),
        (#"{"mail":{"outbox":""}}"#, "`mail.outbox` is empty"),
        (#"{"mail":{"outbox":7}}"#, "`mail.outbox` is not a string"),
        (#"{"mail":{"inbox":"x"}}"#, "use one of `outbox`, `smtp`"),
        (#"{"mail":{"outbox":"x","smtp":{"address":"smtp://localhost","from":"a@b"}}}"#, "`mail` must have exactly one member"),
        (#"{"mail":{"smtp":{"from":"a@example.com"}}}"#, "`mail.smtp.address` is missing"),
        (#"{"mail":{"smtp":{"address":"smtps://mail.example.com"}}}"#, "`mail.smtp.from` is missing"),
        (#"{"mail":{"smtp":{"address":"smtps://mail.example.com","from":"nobody"}}}"#, "`nobody` is not a mail sender"),
        (#"{"mail":{"smtp":{"address":"https://mail.example.com","from":"a@example.com"}}}"#, "smtps://HOST:465"),
        (#"{"mail":{"smtp":{"address":"smtps://h","from":"a@example.com","user":"a"}}}"#, "requires `passwordFile`"),
        (
            #"{"mail":{"smtp":{"address":"smtps://h","from":"a@example.com","user":"a","passwordFile":"none"}}}"#, "none"
        ),
        (#"{"mail":{"outbox":"x"},"store":["default"]}"#, "did you mean `stores`?"),
        (#"{"mail":{"outbox":"x"},"stores":"default"}"#, "`stores` is not a list of strings"),
        (#"{"mail":{"outbox":"x"},"stores":[]}"#, "`stores` is empty"),
        (#"{"mail":{"outbox":"x"},"stores":["../x"]}"#, "`../x`, which is not a store name"),
        (#"{"mail":{"outbox":"x"},"stores":["a","a"]}"#, "has `a` twice"),
        (#"{"mail":{"outbox":"x"},"stores":["nowhere"]}"#, "does not exist in `site`"),
        (#"{"mail":{"outbox":"x"},"accessSeconds":"600"}"#, "`accessSeconds` is not a whole number from 10 to 86400"),
        (#"{"mail":{"outbox":"x"},"accessSeconds":1}"#, "`accessSeconds` is not a whole number"),
        (#"{"mail":{"outbox":"x"},"idleSeconds":100}"#, "must be at least"),
        (#"{"mail":{"outbox":"x"},"recentSignInSeconds":0}"#, "`recentSignInSeconds` is not a whole number"),
        (#"{"mail":{"outbox":"x"},"providers":{}}"#, "`providers` is not a list"),
        (#"{"mail":{"outbox":"x"},"providers":["acme"]}"#, "`providers[0]` is not a JSON object"),
        (provider(#""id":"Acme""#), "`Acme` is not a provider name"),
        (provider(#""id":"password""#), "`password` is taken"),
        (provider(#""kind":"oauth1""#), "write `openid`"),
        (provider(#""issuer":"login""#), "`login` is not an address"),
        (provider(#""issuer":"http://login.example.com""#), "is not encrypted"),
        (provider(#""redirectURIs":["http://app.example.com/"]"#), "is not a redirect address"),
        (provider(#""redirectURIs":[]"#), "`providers[0].redirectURIs` is empty"),
        (
            providers(entry(#""id":"acme""#), entry(#""id":"other""#)),
            "`providers[1].redirectURIs` has `https://app.example.com/`, which the provider `acme` uses already"
        ),
        (provider(#""clientSecretFile":"nothing""#), "nothing"),
        (provider(#""clientSecretFile":"empty""#), "is empty"),
        (provider(#""clientSecretFile":"read""#), "is secret, but its mode 0644 allows other users to open it"),
        (
            #"{"mail":{"smtp":{"address":"smtps://h","from":"a@example.com","user":"a","passwordFile":"read"}}}"#,
            "is secret, but its mode 0644"
        ),
        (provider(#""trustsEmail":"yes""#), "is neither true nor false"),
        (provider(#""allowPrivateEndpoints":1"#), "is neither true nor false"),
        (provider(#""priority":-1"#), "`providers[0].priority` is not a whole number"),
        (#"{"mail":{"outbox":"out"},"serviceName":"X\r\nBcc: a@b.example"}"#, "`serviceName` is not a valid service name"),
        (provider(#""secret":"x""#), "`providers[0].secret` is unknown"),
    ]

    /// A file with a provider that has one invalid member.
    private static func provider(_ member: String) -> String { providers(entry(member)) }

    private static func providers(_ entries: String...) -> String {
        #"{"mail":{"outbox":"x"},"providers":[\#(entries.joined(separator: ","))]}"#
    }

    /// A provider with one given member.
    private static func entry(_ member: String) -> String {
        let name = member.split(separator: "\"")[0]
        let members =
            [
                #""id":"acme""#, #""kind":"openid""#, #""issuer":"https://login.example.com""#, #""clientID":"muniment""#,
                #""redirectURIs":["https://app.example.com/"]"#,
            ].filter { $0.split(separator: "\"")[0] != name } + [member]
        return "{\(members.joined(separator: ","))}"
    }

    @Test("An invalid setting is reported with its position and a remedy, and no service is started")
    func table() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write("", to: "empty", mode: 0o600)
            try tool.write("a secret\n", to: "read", mode: 0o644)
            for row in Self.rows {
                try tool.write(row.file, to: "accounts.json")
                let result = try tool.run("serve --data site --listen 127.0.0.1:0 --accounts accounts.json")
                #expect(result.code == 2 || row.message.contains("does not exist"), "\(row.file): \(result.code) \(result.errors)")
                #expect(result.errors.contains(row.message), "\(row.file): \(result.errors)")
                #expect(result.output.isEmpty, "\(row.file)")
            }
            try tool.write(#"{"mail":{"outbox":"out"}}"#, to: "accounts.json", mode: 0o664)
            let changeable = try tool.run("serve --data site --listen 127.0.0.1:0 --accounts accounts.json")
            #expect(changeable.code == 2)
            #expect(changeable.errors.contains("its mode 0664 allows other users to change it"), "\(changeable.errors)")
            let missing = try tool.run("serve --data site --listen 127.0.0.1:0 --accounts nowhere.json")
            #expect(missing.code == 2 && missing.errors.contains("nowhere.json"))
        }
    }

    // MARK: Valid files

    private static func read(_ text: String, in folder: String = "/etc/muniment") throws -> AccountsFile {
        try AccountsFile(Array(text.utf8), relativeTo: folder)
    }

    @Test("Missing settings have the documented defaults: the default store, and no trusted email of a provider")
    func minimal() throws {
        let file = try Self.read(Self.provider(#""id":"acme""#))
        #expect(file.stores == [.default])
        #expect(file.mail == .outbox(folder: "/etc/muniment/x"))
        #expect(file.settings == AccountSettings())
        let provider = AccountsFile.Provider(
            id: try #require(ProviderID("acme")), issuer: "https://login.example.com", clientID: "muniment",
            redirectURIs: ["https://app.example.com/"], trustsEmail: false, priority: 10)
        #expect(file.providers == [provider])
        #expect(!provider.allowsPrivateEndpoints)
    }

    @Test("Each setting in the file is passed to the matching option of the service")
    func full() throws {
        let text = """
            {
                "stores": ["shop", "default"], "serviceName": "Acme", "accessSeconds": 700, "idleSeconds": 90000,
                "sessionSeconds": 200000, "recentSignInSeconds": 120, "codeSeconds": 900,
                "mail": {"smtp": {
                    "address": "smtps://mail.example.com", "from": "Acme <no-reply@example.com>", "user": "sender",
                    "passwordFile": "password"}},
                "providers": [
                    {"id": "acme", "kind": "openid", "issuer": "https://login.example.com", "clientID": "muniment",
                        "clientSecretFile": "/run/secret", "redirectURIs": ["https://app.example.com/", "com.example.app:/back"],
                        "trustsEmail": true, "priority": 3},
                    {"id": "other", "kind": "openid", "issuer": "https://other.example.com", "clientID": "client",
                        "redirectURIs": ["https://app.example.com/other"]}
                ]
            }
            """
        let file = try Self.read(text)
        #expect(file.stores.map(\.text) == ["shop", "default"])
        let sender = try #require(MailSender("Acme <no-reply@example.com>"))
        let smtp = AccountsFile.SMTP(
            address: "smtps://mail.example.com", sender: sender, user: "sender", passwordFile: "/etc/muniment/password")
        #expect(file.mail == .smtp(smtp))
        let acme = AccountsFile.Provider(
            id: try #require(ProviderID("acme")), issuer: "https://login.example.com", clientID: "muniment",
            clientSecretFile: "/run/secret", redirectURIs: ["https://app.example.com/", "com.example.app:/back"],
            trustsEmail: true, priority: 3)
        let other = AccountsFile.Provider(
            id: try #require(ProviderID("other")), issuer: "https://other.example.com", clientID: "client",
            redirectURIs: ["https://app.example.com/other"], trustsEmail: false, priority: 10)
        #expect(file.providers == [acme, other])
        var settings = AccountSettings()
        settings.serviceName = "Acme"
        settings.accessSeconds = 700
        settings.idleSeconds = 90_000
        settings.sessionSeconds = 200_000
        settings.recentSignInSeconds = 120
        settings.codeSeconds = 900
        #expect(file.settings == settings)
    }

    @Test("A provider is opened with the settings in the file", arguments: [true, false])
    func openedProvider(trustsEmail: Bool) throws {
        try withTemporaryFolder { folder in
            try FileBytes.write(Array("the secret\n".utf8), to: folder + "/secret")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/secret")
            let text = Self.provider(
                #""trustsEmail":\#(trustsEmail),"allowPrivateEndpoints":\#(trustsEmail),"priority":3,"clientSecretFile":"secret""#)
            let providers = try Self.read(text, in: folder).openProviders()
            try #require(providers.count == 1)
            let settings = try #require(providers[0] as? OpenIDProvider).settings
            #expect(settings.id.text == "acme" && settings.clientID == "muniment" && settings.priority == 3)
            #expect(settings.issuer.issuer == "https://login.example.com")
            #expect(settings.clientSecret == "the secret")
            #expect(settings.redirectURIs == ["https://app.example.com/"])
            #expect(settings.trustsEmail == trustsEmail && settings.issuer.allowsPrivateEndpoints == trustsEmail)
        }
    }

    @Test("The mail server gets the user and password of the file when it requires authentication")
    func openedMailer() throws {
        let server = try MailProcess(asksWho: true)
        defer { server.stop() }
        try withTemporaryFolder { folder in
            try FileBytes.write(Array("\(MailProcess.password)\n".utf8), to: folder + "/password")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/password")
            let smtp = #""address":"\#(server.address)","from":"no-reply@example.com""#
            let login = #""user":"\#(MailProcess.user)","passwordFile":"password""#
            let mailer = try Self.read(#"{"mail":{"smtp":{\#(smtp),\#(login)}}}"#, in: folder).openMailer()
            let ann = try #require(EmailAddress("ann@example.org"))
            try mailer.send(MailMessage(to: ann, subject: "Your code", text: "ABCD\n"))
            let mail = try server.next()
            #expect(mail.isSignedIn && mail.sender == "no-reply@example.com")
        }
    }
}
