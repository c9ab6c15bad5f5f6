package import Events
import Foundation
import NetworkClient
import TestSupport

/// An OpenID provider in a process of its own: `oidc-provider-mock`, which lets everybody in as whoever they say they are.
///
/// It signs what it gives out with the time of the machine, so whoever checks that must go by it too.
package final class OpenIDProcess: Sendable {
    private let server: PythonServer

    private static let script = """
        import json, logging, warnings
        warnings.simplefilter('ignore')
        os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'
        import oidc_provider_mock as mock
        logging.disable()
        users = [mock.User(sub=sub, claims=claims) for sub, claims in json.loads(sys.argv[1]).items()]
        with mock.run_server_in_thread(require_nonce=True, user_claims=users) as server:
            print(server.server_port, flush=True)
            threading.Event().wait()
        """

    /// - Parameter users: the claims of those whom it knows, by subject; anybody else has the subject as its email, and nobody vouches
    ///   for that.
    package init(users: [String: JSONObject] = [:]) throws {
        var members = JSONObject()
        for (subject, claims) in users { members[subject] = .object(claims) }
        var writer = JSONWriter()
        writer.write(.object(members))
        server = try PythonServer(OpenIDProcess.script, [writer.text], interpreter: try ServerEnvironment.interpreter.get())
    }

    package var issuer: String { "http://127.0.0.1:\(server.port)" }

    /// What a browser does: opens the address, signs in as somebody, and is sent back.
    ///
    /// - Returns: what the redirect says: `code`, `state` and so on; `error` where it was refused.
    package func signIn(at authorizationURL: String, as subject: String) throws -> [String: String] {
        try submit("sub=" + FormFields.escaped(subject), to: authorizationURL)
    }

    /// What a browser does whose user refuses.
    package func refuse(at authorizationURL: String) throws -> [String: String] {
        try submit("action=deny", to: authorizationURL)
    }

    private func submit(_ form: String, to address: String) throws -> [String: String] {
        var request = HTTPClientRequest(try HTTPAddress(address).orThrow(address))
        request.body = Array(form.utf8)
        let response = try HTTPClient.send(request)
        let location = try response.header("Location").orThrow(
            "\(response.status): " + String(decoding: response.body, as: UTF8.self))
        return FormFields.query(of: location)
    }

    package func stop() { server.stop() }
}

/// Names and values as forms and addresses have them.
package enum FormFields {
    /// A value without anything that means something in a form.
    package static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// What stands behind the question mark of an address.
    package static func query(of address: String) -> [String: String] {
        fields(of: address.split(separator: "?").last.map(String.init) ?? "")
    }

    /// The fields of a form.
    package static func fields(of form: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in form.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            fields[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        return fields
    }
}

extension Optional {
    /// - Throws: with what there was in its place.
    func orThrow(_ found: String) throws -> Wrapped {
        guard let self else { throw NotThere(found: found) }
        return self
    }
}

private struct NotThere: Error { let found: String }
