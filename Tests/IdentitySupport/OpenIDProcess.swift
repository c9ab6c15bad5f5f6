package import Events
import Foundation
import NetworkClient
import TestSupport

/// An OpenID provider in a separate process: `oidc-provider-mock`. It signs in every user under the name that the user gives.
///
/// It signs with the time of the machine, so the verifier must use that time too.
package final class OpenIDProcess: Sendable {
    private let server: PythonServer

    private static let script = """
        import json, logging, warnings
        warnings.simplefilter('ignore')
        os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'
        import oidc_provider_mock as mock
        # The imported library has removed the filter.
        warnings.simplefilter('ignore')
        logging.disable()
        users = [mock.User(sub=sub, claims=claims) for sub, claims in json.loads(sys.argv[1]).items()]
        with mock.run_server_in_thread(require_nonce=True, user_claims=users) as server:
            print(server.server_port, flush=True)
            threading.Event().wait()
        """

    /// - Parameter users: the claims of the known users by subject. Any other user has the subject as an unverified email.
    package init(users: [String: JSONObject] = [:]) throws {
        var members = JSONObject()
        for (subject, claims) in users { members[subject] = .object(claims) }
        var writer = JSONWriter()
        writer.write(.object(members))
        server = try PythonServer(OpenIDProcess.script, [writer.text], interpreter: try ServerEnvironment.interpreter.get())
    }

    package var issuer: String { "http://127.0.0.1:\(server.port)" }

    /// Does the work of a browser: opens the address, signs in as the subject, and receives the redirect.
    ///
    /// - Returns: the parameters of the redirect: `code`, `state` and so on, or `error` after a refusal.
    package func signIn(at authorizationURL: String, as subject: String) throws -> [String: String] {
        try submit("sub=" + FormFields.escaped(subject), to: authorizationURL)
    }

    /// Does the work of a browser if the user refuses.
    package func refuse(at authorizationURL: String) throws -> [String: String] {
        try submit("action=deny", to: authorizationURL)
    }

    private func submit(_ form: String, to address: String) throws -> [String: String] {
        var request = HTTPClientRequest(try HTTPAddress(address).orThrow(address))
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        request.body = Array(form.utf8)
        let response = try HTTPClient.send(request)
        let location = try response.header("Location").orThrow(
            "\(response.status): " + String(decoding: response.body, as: UTF8.self))
        return FormFields.query(of: location)
    }

    package func stop() { server.stop() }
}

/// Names and values of forms and query strings.
package enum FormFields {
    /// Returns a value with its special characters percent-encoded.
    package static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Returns the fields of the query string of an address.
    package static func query(of address: String) -> [String: String] {
        fields(of: address.split(separator: "?").last.map(String.init) ?? "")
    }

    /// Returns the fields of a form.
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
    /// - Throws: an error that contains `found`, if the value is nil.
    func orThrow(_ found: String) throws -> Wrapped {
        guard let self else { throw NotThere(found: found) }
        return self
    }
}

private struct NotThere: Error { let found: String }
