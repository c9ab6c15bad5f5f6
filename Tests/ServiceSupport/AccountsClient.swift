package import Events
import HTTPServer
import Identity
package import Service

/// A client program of a user with an account. It calls a service through a `ServiceClient`.
package struct AccountsClient: Sendable {
    package let door: any ServiceClient
    package let mails: KeptMails

    package init(_ door: any ServiceClient, _ mails: KeptMails) {
        self.door = door
        self.mails = mails
    }

    /// A user who is signed in.
    package struct Person: Sendable {
        package let principal: String
        package let access: String
        package let refresh: String
        package let sessionID: String

        /// - Throws: ``NotSignedIn`` if the response is not a session.
        package init(_ answer: Answer) throws {
            let json = try answer.json
            guard let access = json.text("accessToken"), let refresh = json.text("refreshToken"), let id = json.text("sessionID"),
                let principal = json["account"]?.text("principal")
            else { throw NotSignedIn(answer: answer.text) }
            (self.access, self.refresh, sessionID, self.principal) = (access, refresh, id, principal)
        }
    }

    package struct NotSignedIn: Error { package let answer: String }

    /// Sends JSON to an account route.
    package func post(_ path: String, _ body: JSONObject, as access: String? = nil) async throws -> Answer {
        try await send("POST", path, body, as: access)
    }

    package func send(_ method: String, _ path: String, _ body: JSONObject? = nil, as access: String? = nil) async throws -> Answer
    {
        try await door.send(
            method, path, token: access, json: try body.map { String(decoding: try JSONText.encode(.object($0)), as: UTF8.self) })
    }

    /// Signs up with email and password, and with the code from the mail.
    package func signUp(_ email: String, password: String = "a long password", name: String? = nil) async throws -> Person {
        let sent = mails.all.count
        var body: JSONObject = ["provider": .string("password"), "evidence": .object(evidence(email, password))]
        if let name { body["displayName"] = .string(name) }
        let started = try await post("/v1/accounts/sign-up", body)
        guard let attempt = try started.json.text("attempt") else { throw NotSignedIn(answer: started.text) }
        let code = try await mails.nextCode(to: email, after: sent)
        return try Person(try await post("/v1/accounts/sign-up/confirm", ["attempt": .string(attempt), "code": .string(code)]))
    }

    package func signInAnswer(_ email: String, password: String = "a long password", device: String? = nil) async throws -> Answer {
        var body: JSONObject = ["provider": .string("password"), "evidence": .object(evidence(email, password))]
        if let device { body["device"] = .string(device) }
        return try await post("/v1/accounts/sign-in", body)
    }

    package func signIn(_ email: String, password: String = "a long password", device: String? = nil) async throws -> Person {
        try Person(try await signInAnswer(email, password: password, device: device))
    }

    private func evidence(_ email: String, _ password: String) -> JSONObject {
        ["email": .string(email), "password": .string(password)]
    }
}

extension ServiceSettings {
    /// Enables accounts in the default store, and keeps the mails.
    package mutating func openAccounts(_ mails: KeptMails) {
        accounts = AccountServiceSettings(mailer: mails)
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }
}
