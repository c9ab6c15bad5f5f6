import Foundation
import TestSupport
import Testing

@testable import MunimentClient

@Suite("A session in a file")
struct FileSessionStoreTests {
    private let session = StoredSession(refresh: "munr_secret", ends: .newYear, nonce: "n\"1")

    @Test("A saved session is read back, with or without a nonce; without a saved session the result is nil")
    func roundTrip() throws {
        try withTemporaryFolder { folder in
            let store = FileSessionStore(path: folder + "/session")
            #expect(try store.load() == nil)
            for kept in [session, StoredSession(refresh: "munr_other", ends: .newYear)] {
                try store.save(kept)
                #expect(try FileSessionStore(path: folder + "/session").load() == kept)
            }
            try store.save(nil)
            #expect(try store.load() == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            try store.save(nil)
        }
    }

    @Test("Only the owner may read the file, even if it replaced another file")
    func mode() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/session"
            try Data().write(to: URL(filePath: path))
            try FileSessionStore(path: path).save(session)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(
        "A file without a valid session throws an error that names the file",
        arguments: ["", "{}", "[]", #"{"format":"muniment-session/2","refresh":"r","ends":"2026-01-01T00:00:00Z"}"#, "\u{0}", "{"])
    func damaged(text: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/session"
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(throws: SessionFileError(path: path)) { try FileSessionStore(path: path).load() }
        }
    }

    @Test("A missing folder throws an error, and nothing is saved")
    func noFolder() throws {
        try withTemporaryFolder { folder in
            let store = FileSessionStore(path: folder + "/none/session")
            #expect(throws: (any Error).self) { try store.save(session) }
            let kept = try store.load()
            #expect(kept == nil)
        }
    }

    @Test("The descriptions of a session, a request and a provider contain no secrets")
    func descriptions() {
        let provider = EmailIdentityProvider(email: "ann@example.com", password: "secret word")
        let request = AuthRequest(.post, "/v1/accounts/sign-in", body: provider.evidence, accessToken: "muna_secret")
        for text in [
            "\(session)", "\(request)", "\(provider)", String(reflecting: session), String(reflecting: request),
            String(reflecting: provider),
        ] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }
}
