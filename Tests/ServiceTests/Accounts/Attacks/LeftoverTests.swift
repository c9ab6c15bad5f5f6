import Credentials
import Events
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Identity
@testable import Service

@Suite("I9 Data left after account deletion: only a name in the history, no personal data")
struct LeftoverTests {
    /// Ann's personal data, as she entered it or as the service knows it.
    private static let texts = [
        "Leopoldine.Unverkennbar@example.org", "second.Unverkennbar@example.net", "Leopoldine Unverkennbar",
        "https://pictures.example.org/leopoldine-at-sea.png", "subject-of-leopoldine-7391", "leopoldine's telephone",
        "a password of leopoldine's", "another one of leopoldine's", "unverkennbar",
    ]

    @Test(
        "I8 I9 No file of the data directory contains the email, name, picture, password, hash, subject or device, in any encoding"
    )
    func bytes() async throws {
        try await withTarget {
            $0.providers = [SiteProvider()]
        } service: {
            $0.decisionLogs = .all
        } _: { fixture in
            try fixture.makePlan()
            let ann = try await busyLife(fixture)
            let accounts = try #require(fixture.service.service.accounts?.accounts)
            let account = try #require(accounts.account(principal: Name(ann.principal)))
            let hash = try #require(account.identity(.password)?.secret)
            let keysFile = fixture.service.directory + "/.muniment/accounts/keys"
            let slot = try Array(FileBytes.read(keysFile).dropFirst(Int(account.id.number) * KeySlot.byteCount).prefix(88))
            #expect(try occurrences(of: Data(slot), fixture) == [".muniment/accounts/keys"])
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            accounts.mails.drain()
            fixture.service.service.operations.flush()
            let parts = hash.split(separator: "$").map(String.init)
            try expectNothing(of: Self.texts + [hash, parts[3], parts[4], account.email?.text ?? ""], slot: slot, fixture)
            // The search can find text: it finds the principal in the stores.
            #expect(try occurrences(of: Data(ann.principal.utf8), fixture).count >= 3)
            // Closing the service writes no personal data either.
            try fixture.service.stopListening()
            try fixture.service.service.close()
            try expectNothing(of: Self.texts + [hash, parts[3], parts[4]], slot: slot, fixture)
        }
    }

    /// Uses every feature of an account.
    private func busyLife(_ fixture: AccountsFixture) async throws -> AccountsClient.Person {
        let (client, texts) = (fixture.client, Self.texts)
        let ann = try await client.signUp(texts[0], password: texts[6], name: texts[2])
        let picture = try await client.send("PATCH", "/v1/account", ["picture": .string(texts[3])], as: ann.access)
        #expect(picture.status == 200, "\(picture.text)")
        #expect(try await client.post("/v1/account/identities", .bySite(texts[4]), as: ann.access).status == 200)
        _ = try await client.signIn(texts[0], password: texts[6], device: texts[5])
        let change = try await fixture.beginEmailChange(texts[1], as: ann.access)
        #expect(try await fixture.confirmEmail(change.attempt, change.code, as: ann.access).status == 200)
        let password = try await client.send("PUT", "/v1/account/password", ["password": .string(texts[7])], as: ann.access)
        #expect(password.status == 200)
        try fixture.commit(.grant(Name(ann.principal), on: "doc:plan", ["read"]))
        #expect(try await fixture.mayRead("doc:plan", ann.principal, as: ann.access).json.flag("allowed") == true)
        _ = try await client.signInAnswer(texts[1], password: "not this one")
        _ = try await fixture.beginReset(texts[1])
        return ann
    }

    private func expectNothing(of texts: [String], slot: [UInt8], _ fixture: AccountsFixture) throws {
        var forms: Set<Data> = [Data(slot)]
        for text in texts {
            #expect(text.utf8.count > 5)
            for written in [text, text.lowercased(), text.uppercased()] { forms.formUnion(Self.forms(of: written)) }
        }
        for (path, bytes) in try FileBytes.files(below: fixture.service.directory) {
            let data = Data(bytes)
            for form in forms {
                #expect(data.range(of: form) == nil, "\(path): \(String(decoding: form, as: UTF8.self).debugDescription)")
            }
        }
    }

    /// Returns the text as bytes, wide characters, hexadecimal digits, and base64 at every offset.
    private static func forms(of text: String) -> [Data] {
        let bytes = Data(text.utf8)
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var forms = [bytes, Data(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }), Data(hex.utf8)]
        for shift in 0..<3 {
            // The first and last base64 characters depend on the neighboring bytes.
            let encoded = (Data(count: shift) + bytes).base64EncodedString().prefix { $0 != "=" }
            let inner = encoded.dropFirst(shift == 0 ? 0 : shift + 1).dropLast(1)
            forms.append(Data(inner.utf8))
            forms.append(Data(inner.replacing("+", with: "-").replacing("/", with: "_").utf8))
        }
        return forms
    }

    private func occurrences(of bytes: Data, _ fixture: AccountsFixture) throws -> [String] {
        try FileBytes.files(below: fixture.service.directory).filter { Data($0.bytes).range(of: bytes) != nil }.map(\.path)
    }

    @Test("I8 I9 Deletion immediately ends the account's open feeds and notifies other listeners")
    func feeds() async throws {
        try await withTarget { fixture in
            try fixture.makePlan()
            let ann = try await fixture.client.signUp("ann@example.com")
            let elsewhere = try await fixture.client.signIn("ann@example.com")
            try fixture.commit(.grant(Name(ann.principal), on: "doc:plan", ["read"]))
            let port = try fixture.service.listen()
            let notices = "/v1/stores/default/notices"
            let own = try [ann, elsewhere].map { try FeedClient(port: port, notices, token: $0.access) }
            let asking = try fixture.service.token(.ask)
            let watching = try FeedClient(port: port, notices + "?for=" + ann.principal, token: asking)
            let administering = try FeedClient(
                port: port, "/v1/stores/default/commits", token: try fixture.service.token(.administer))
            for feed in own + [watching, administering] { #expect(feed.status == 200) }
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            fixture.service.service.liveFeeds.tick()
            let notice = try #require(watching.next()).json
            #expect(notice.text("subject") == "doc:plan")
            #expect(notice.text("type")?.lowercased().contains("inaccessible") == true, "\(notice)")
            #expect(try #require(administering.next()).data.contains(ann.principal))
            for feed in own {
                while feed.next() != nil {}
                #expect(feed.isEnded)
            }
            // The feeds stay closed, and the two other feeds stay open.
            #expect(try FeedClient(port: port, notices, token: ann.access).status == 401)
            for feed in [watching, administering] {
                let beats = feed.comments
                for _ in 0..<15 { fixture.service.service.liveFeeds.tick() }
                #expect(feed.read(until: { $0.comments > beats }))
            }
        }
    }
}
