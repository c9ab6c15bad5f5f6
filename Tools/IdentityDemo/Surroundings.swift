import Events
import Foundation
import NetworkClient
import Permissions

/// The folder of the mails that the service sends.
struct MailFolder {
    let path: String

    struct NoMail: Error, CustomStringConvertible { let description: String }

    /// Returns the code of the last mail to an address. Waits up to twenty minutes for it.
    func code(to email: String) async throws -> String {
        for _ in 0..<24_000 {
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(".eml") }
                .sorted()
            for name in names.reversed() {
                guard let text = try? String(contentsOfFile: path + "/" + name, encoding: .utf8), text.contains("To: \(email)"),
                    let code = text.firstMatch(of: /code is: +([A-Z0-9-]+)/)
                else { continue }
                return String(code.1)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NoMail(description: "no mail with a code came to \(email) within ten seconds")
    }
}

/// The user's actions in a browser at the site of the provider.
enum Browser {
    struct NoRedirect: Error, CustomStringConvertible { let description: String }

    /// Opens the address, signs in as a user, and follows the redirect back.
    static func signIn(at address: String, as name: String) async throws -> String {
        guard let address = HTTPAddress(address) else { throw NoRedirect(description: "`\(address)` is not an address") }
        var request = HTTPClientRequest(address)
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        request.body = Array("sub=\(name)".utf8)
        let response = try HTTPClient.send(request)
        guard let location = response.header("Location") else {
            throw NoRedirect(description: "the provider answers \(response.status) without a redirect")
        }
        return location
    }
}

/// The application's requests to the store, as the signed-in user.
struct StoreClient {
    let service: String
    let token: String

    struct Refused: Error, CustomStringConvertible { let description: String }

    func create(_ objects: [Name]) async throws {
        let changes = objects.map { JSONValue.object(["op": .string("createObject"), "object": .string($0.text)]) }
        let (status, body) = try send("transactions", ["do": .array(changes)])
        guard status == 200 else { throw Refused(description: body) }
    }

    func mayRead(_ object: Name, _ subject: Name) async throws -> Bool {
        let question: JSONObject = ["subject": .string(subject.text), "privilege": .string("read"), "object": .string(object.text)]
        let (status, body) = try send("check", question)
        return status == 200 && body.contains(#""allowed":true"#)
    }

    /// Whether the token is invalid.
    func isRefused() async -> Bool { (try? send("transactions", ["do": .array([])]).status) == 401 }

    private func send(_ path: String, _ body: JSONObject) throws -> (status: Int, body: String) {
        guard let address = HTTPAddress("\(service)/v1/stores/default/\(path)") else {
            throw Refused(description: "`\(service)` is not an address")
        }
        var request = HTTPClientRequest(address)
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        request.body = try JSONText.encode(.object(body))
        request.headers = [("Content-Type", "application/json"), ("Authorization", "Bearer " + token)]
        let response = try HTTPClient.send(request)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}
