import Foundation
import TestSupport
import Testing

@testable import MunimentClient

@Suite("A session in a file")
struct FileSessionStoreTests {
    private let session = StoredSession(refresh: "munr_secret", ends: .newYear, nonce: "n\"1")

    @Test("What is kept is read again, with its nonce and without one, and nothing where nothing is kept")
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

    @Test("Nobody but its owner may read the file, also where it took the place of another one")
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
        "A file that holds no session is an error that names it",
        arguments: ["", "{}", "[]", #"{"format":"muniment-session/2","refresh":"r","ends":"2026-01-01T00:00:00Z"}"#, "\u{0}", "{"])
    func damaged(text: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/session"
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(throws: SessionFileError(path: path)) { try FileSessionStore(path: path).load() }
        }
    }

    @Test("A folder that is not there is an error, and nothing is kept")
    func noFolder() throws {
        try withTemporaryFolder { folder in
            let store = FileSessionStore(path: folder + "/none/session")
            #expect(throws: (any Error).self) { try store.save(session) }
            let kept = try store.load()
            #expect(kept == nil)
        }
    }

    @Test("Nothing secret is in what a session, a request or a provider says of itself")
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
