import Credentials
import Events
import Files
import Foundation
import Identity
import Muniment
import NetworkClient
import Permissions
import Service

/// Access to the accounts of a data directory: through a running service, or else directly in the folder.
enum AccountsAccess {
    case service(RunningService)
    case folder(MunimentService)

    /// - Throws: ``UsageError`` if the folder does not exist or has no accounts.
    init(dataDirectory: String, options: StoreOptions) throws {
        try requireFolder(dataDirectory)
        if let running = RunningService(dataDirectory: dataDirectory) {
            self = .service(running)
            return
        }
        guard isFolder(dataDirectory + "/.muniment/accounts") else {
            throw UsageError("`\(dataDirectory)` has no accounts; start the service with `muniment serve --accounts FILE`")
        }
        var settings = ServiceSettings(dataDirectory: dataDirectory, storeOptions: options) { writeError("note: \($0)") }
        settings.accounts = AccountServiceSettings(stores: [], mailer: NoMailer())
        self = .folder(try MunimentService(settings))
    }

    /// Sends a request, and returns the body of its response.
    ///
    /// - Throws: ``AccountCommandError`` if the request was refused, or ``Credentials/ServiceUnreachableError``.
    func send(_ method: HTTPClientMethod, _ target: String) throws -> JSONValue {
        let (status, body): (Int, JSONValue)
        switch self {
        case .folder(let service): (status, body) = service.execute(method.rawValue, target)
        case .service(let service):
            let answer = try service.send(method, target)
            (status, body) = (answer.status, (try? JSONText.decode(answer.body)) ?? .null)
        }
        guard status < 300 else { throw AccountCommandError(status: status, problem: body) }
        return body
    }

    /// Passes each element of a list to the body, page by page.
    func forEach(_ list: String, at path: String, _ body: (JSONValue) throws -> Void) throws {
        var next: String?
        repeat {
            let page = try send(.get, path + "?limit=1000" + (next.map { "&cursor=" + $0.percentEncoded } ?? ""))
            for element in page.list(list) { try body(element) }
            next = page.text("next")
        } while next != nil
    }

    func close() throws { if case .folder(let service) = self { try service.close() } }
}

/// The administration of accounts sends no mails.
private struct NoMailer: Mailer {
    func send(_ message: MailMessage) throws(MailError) {
        throw MailError("`muniment account` sends mail only through a running service", isFinal: true)
    }
}

/// A refusal of the service for an account, with its message.
struct AccountCommandError: Error, CustomStringConvertible {
    let description: String
    /// Whether the service failed, unlike a refused request.
    let isServerError: Bool

    init(status: Int, problem: JSONValue) {
        description = problem.text("detail") ?? "the response has status \(status)"
        isServerError = status >= 500
    }
}
