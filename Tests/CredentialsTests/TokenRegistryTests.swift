import Credentials
import Events
import Files
import Foundation
import Permissions
import TestSupport
import Testing

@Suite("Tokens: random, stored only as hashes, scoped, with an expiry, and revoked immediately")
struct TokenRegistryTests {
    let folder: ScratchFolder
    let registry: TokenRegistry

    init() throws {
        folder = try ScratchFolder()
        registry = TokenRegistry(dataDirectory: folder.path)
    }

    private func create(_ right: Right = .ask, until: Instant? = nil) throws -> (secret: String, token: Token) {
        try registry.create(stores: .named(["firm"]), right: right, until: until, at: .newYear)
    }

    @Test("A secret finds its token with all properties, also through another registry")
    func found() throws {
        let rights: [Right] = [.ask, .act(as: "user:ann"), .act(as: "anonymous"), .administer]
        for (stores, right) in zip([StoreScope.all, .named(["a", "b-2"]), .all, .named(["default"])], rights) {
            let made = try registry.create(
                stores: stores, right: right, until: .newYear.later(seconds: 60), comment: "for \"Bob\"", at: .newYear)
            #expect(made.token.stores == stores)
            #expect(made.token.right == right)
            #expect(made.token.comment == "for \"Bob\"")
            #expect(try registry.authenticate(made.secret, at: .newYear)?.token == made.token)
            #expect(try TokenRegistry(dataDirectory: folder.path).authenticate(made.secret, at: .newYear)?.token == made.token)
        }
        #expect(try registry.list().map(\.id) == ["t1", "t2", "t3", "t4"])
    }

    @Test("A secret is kept before its token exists, so that no end of the process leaves a token without a known secret")
    func keptFirst() throws {
        struct DiskError: Error {}
        var kept: String?
        let made = try registry.create(
            stores: .all, right: .administer, at: .newYear,
            keep: {
                kept = $0
                let others = try registry.list()
                #expect(others.isEmpty)
            })
        #expect(kept == made.secret)
        #expect(throws: DiskError.self) {
            try registry.create(stores: .all, right: .administer, at: .newYear, keep: { _ in throw DiskError() })
        }
        #expect(try registry.list().map(\.id) == ["t1"])
    }

    @Test("A secret has 256 random bits, is unique, and is not stored in the file")
    func secretIsKeptNowhere() throws {
        let secrets = try (0..<20).map { _ in try create().secret }
        #expect(Set(secrets).count == 20)
        #expect(secrets.allSatisfy { $0.wholeMatch(of: /muni_[A-Za-z0-9_-]{43}/) != nil })
        let text = String(decoding: try readFile(registry.path), as: UTF8.self)
        for secret in secrets { #expect(!text.contains(secret.dropFirst(5).prefix(12))) }
    }

    @Test("A token is valid before its expiry time, and invalid at that time")
    func end() throws {
        let secret = try create(until: .newYear.later(seconds: 10)).secret
        #expect(try registry.authenticate(secret, at: .newYear.later(seconds: 9))?.token != nil)
        #expect(try registry.authenticate(secret, at: .newYear.later(seconds: 10))?.token == nil)
    }

    @Test("A token that another registry revokes is invalid at the next lookup")
    func revocationIsSeenAtOnce() throws {
        let other = TokenRegistry(dataDirectory: folder.path)
        for _ in 0..<50 {
            let made = try create()
            #expect(try other.authenticate(made.secret, at: .newYear)?.token.id == made.token.id)
            try registry.revoke(id: made.token.id, at: .newYear)
            #expect(try other.authenticate(made.secret, at: .newYear)?.token == nil)
        }
    }

    @Test("Only the exact secret is valid: a similar text or its hash is not")
    func nearMisses() throws {
        let secret = try create().secret
        let hash = try #require(String(decoding: try readFile(registry.path), as: UTF8.self).firstMatch(of: /[0-9a-f]{64}/)).output
        let others = [
            "", "muni_", String(secret.dropLast()), secret + "A", secret.uppercased(), "x" + secret.dropFirst(), String(hash),
            secret + "\n", " " + secret, secret.replacing("muni_", with: "muni-"),
            String(secret.dropLast()) + (secret.last == "A" ? "E" : "A"),
        ]
        for other in others { #expect(try registry.authenticate(other, at: .newYear)?.token == nil, "\(other)") }
    }

    @Test("Invalid tokens and revocations are refused, and nothing is written")
    func refused() throws {
        let cases: [(StoreScope, Right, Instant?, String?, TokenError)] = [
            (.named([]), .ask, nil, nil, .noStores),
            (.named(["Firm"]), .ask, nil, nil, .notAStoreName("Firm")),
            (.named(["firm", "../x"]), .ask, nil, nil, .notAStoreName("../x")),
            (.named([".muniment"]), .ask, nil, nil, .notAStoreName(".muniment")),
            (.named([""]), .ask, nil, nil, .notAStoreName("")),
            (.named([String(repeating: "a", count: 64)]), .ask, nil, nil, .notAStoreName(String(repeating: "a", count: 64))),
            (.all, .act(as: "role:editors"), nil, nil, .cannotAct("role:editors")),
            (.all, .act(as: "everyone"), nil, nil, .cannotAct("everyone")),
            (.all, .act(as: "user:"), nil, nil, .cannotAct("user:")),
            (.all, .ask, .newYear, nil, .endsBeforeItBegins(until: .newYear)),
            (.all, .ask, nil, String(repeating: "x", count: 1025), .commentTooLong),
        ]
        for (stores, right, until, comment, error) in cases {
            #expect(throws: error) {
                try registry.create(stores: stores, right: right, until: until, comment: comment, at: .newYear)
            }
        }
        #expect(throws: TokenError.noSuchToken(id: "t1")) { try registry.revoke(id: "t1", at: .newYear) }
        let made = try create().token
        try registry.revoke(id: made.id, at: .newYear)
        #expect(throws: TokenError.alreadyRevoked(id: "t1", at: .newYear)) { try registry.revoke(id: "t1", at: .newYear) }
        #expect(try registry.list().count == 1)
    }

    @Test("Only the owner can read the token file and its folder, even if both existed with other permissions")
    func modes() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.muniment", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        #expect(
            FileManager.default.createFile(atPath: registry.path, contents: nil, attributes: [.posixPermissions: 0o666]))
        _ = try create()
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(registry.path) == 0o600)
        #expect(try mode(folder.path + "/.muniment") == 0o700)
    }
}
