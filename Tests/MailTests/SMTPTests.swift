import Events
import Identity
import IdentitySupport
import Mail
import NetworkClient
import TestSupport
import Testing

@Suite("Mails to a real mail server")
struct SMTPTests {
    private static let login = SMTPLogin(user: MailProcess.user, password: MailProcess.password)

    private func mailer(_ process: MailProcess, login: SMTPLogin? = nil, pinned: Bool = true) throws -> SMTPMailer {
        SMTPMailer(
            server: try #require(SMTPAddress(process.address)), sender: try #require(MailSender("Muniment <no-reply@example.com>")),
            login: login, pinnedKeyDigest: pinned ? process.keyDigest : nil, clock: { .newYear })
    }

    private func message(to: String = "ann@example.org", _ text: String = "The code is ABCD.\n") throws -> MailMessage {
        MailMessage(to: try #require(EmailAddress(to)), subject: "Your code", text: text)
    }

    private func delivery(_ process: MailProcess) throws -> SMTPDelivery {
        var delivery = SMTPDelivery(
            server: try #require(SMTPAddress(process.address)), sender: "no-reply@example.com", recipient: "ann@example.org",
            message: Array("Subject: x\r\n\r\ny\r\n".utf8))
        delivery.pinnedKeyDigest = process.keyDigest
        return delivery
    }

    @Test("A mail arrives complete, with its sender and one recipient", arguments: [MailProcess.Security.none, .tls])
    func arrives(security: MailProcess.Security) throws {
        let process = try MailProcess(security)
        try mailer(process).send(try message())
        let mail = try process.next()
        #expect(mail.sender == "no-reply@example.com")
        #expect(mail.recipients == ["ann@example.org"])
        #expect(mail.isEncrypted == (security == .tls))
        #expect(mail.data.hasPrefix("From: Muniment <no-reply@example.com>\r\nTo: ann@example.org\r\nSubject: Your code\r\n"))
        #expect(mail.data.hasSuffix("\r\n\r\nThe code is ABCD.\r\n"))
    }

    @Test("Lines that start with a dot or contain only dots do not end a mail early")
    func dots() throws {
        let process = try MailProcess()
        let mailer = try mailer(process)
        try mailer.send(try message("a\n.\n..\n.b\nRSET\n"))
        #expect(try process.next().data.hasSuffix("\r\n\r\na\r\n.\r\n..\r\n.b\r\nRSET\r\n"))
        try mailer.send(try message(String(repeating: ".123456789012345678901234567890\n", count: 1_200)))
        #expect(try process.next().data.hasSuffix(String(repeating: ".123456789012345678901234567890\r\n", count: 1_200)))
    }

    @Test("The client signs in to a server over an encrypted connection", arguments: [MailProcess.Security.startTLS, .tls])
    func signsIn(security: MailProcess.Security) throws {
        let process = try MailProcess(security, asksWho: true)
        var delivery = try delivery(process)
        delivery.login = SMTPTests.login
        delivery.isEncryptionRequired = true
        try SMTPClient.send(delivery)
        let mail = try process.next()
        #expect(mail.isEncrypted)
        #expect(mail.isSignedIn)
    }

    @Test("An unencrypted server receives neither password nor mail, unless it runs on this machine")
    func notEncrypted() throws {
        let process = try MailProcess()
        var delivery = try delivery(process)
        #expect(!delivery.isEncryptionRequired)
        delivery.login = SMTPTests.login
        delivery.isEncryptionRequired = true
        #expect(throws: SMTPClientError.notEncrypted(server: process.address)) { try SMTPClient.send(delivery) }
        let elsewhere = try #require(SMTPAddress("smtp://mail.example.com:587"))
        #expect(SMTPDelivery(server: elsewhere, sender: "a@b", recipient: "c@d", message: []).isEncryptionRequired)
    }

    @Test("Mails and passwords are sent encrypted with a verified certificate, except to a server on this machine")
    func encrypted() throws {
        let sender = try #require(MailSender("no-reply@example.com"))
        for (address, isRequired) in [
            ("smtp://mail.example.com", true), ("smtp://mail.example.com:25", true), ("smtps://mail.example.com", true),
            ("smtp://127.0.0.1", false),
        ] {
            let server = try #require(SMTPAddress(address))
            let mailer = SMTPMailer(server: server, sender: sender, login: SMTPTests.login, clock: { .newYear })
            let delivery = mailer.delivery(of: try message())
            #expect(delivery.isEncryptionRequired == isRequired, "\(address)")
            #expect(delivery.pinnedKeyDigest == nil)
            #expect(delivery.login == SMTPTests.login)
            #expect((delivery.sender, delivery.recipient) == ("no-reply@example.com", "ann@example.org"))
        }
    }

    @Test("A certificate from an unknown authority is rejected")
    func certificate() throws {
        let process = try MailProcess(.tls)
        let mailer = try mailer(process, pinned: false)
        #expect(throws: MailError.self) { try mailer.send(try message()) }
    }

    @Test("A refusal is reported without the recipient, the mail text and the password")
    func refusals() throws {
        let process = try MailProcess(.tls, asksWho: true)
        var problems: [MailError] = []
        for (login, recipient) in [
            (SMTPLogin(user: MailProcess.user, password: "secret-wrong"), "ann@example.org"), (nil, "ann@example.org"),
            (SMTPTests.login, "nobody@example.org"),
        ] {
            let mailer = try mailer(process, login: login)
            problems.append(try #require(throws: MailError.self) { try mailer.send(try message(to: recipient)) })
        }
        #expect(problems[0].description.contains("refused the user or the password"))
        #expect(problems[1].description.contains("530"))
        #expect(problems[2].description.contains("550"))
        for problem in problems {
            for secret in ["ann@", "nobody@", "ABCD", "secret-wrong", MailProcess.password] {
                #expect(!problem.description.contains(secret), "\(problem)")
            }
        }
        #expect(!"\(SMTPTests.login)".contains(MailProcess.password))
    }

    @Test("An unreachable server and a silent server give different errors, and the wait ends at the timeout")
    func noServer() throws {
        let process = try MailProcess()
        process.stop()
        let unheard = try delivery(process)
        let error = #expect(throws: SMTPClientError.self) { try SMTPClient.send(unheard) }
        guard case .unreachable? = error else { throw Unexpected(error: "\(error as Any)") }
        let silent = try PythonServer(
            "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1]); threading.Event().wait()")
        var delivery = SMTPDelivery(
            server: try #require(SMTPAddress("smtp://127.0.0.1:\(silent.port)")), sender: "a@b.example", recipient: "c@d.example",
            message: [])
        var end: SMTPClientError?
        for seconds in growingLimits {
            delivery.timeoutSeconds = seconds
            end = #expect(throws: SMTPClientError.self) { try SMTPClient.send(delivery) }
            if case .timedOut? = end { break }
        }
        #expect(end == SMTPClientError.timedOut(server: delivery.server.text, seconds: delivery.timeoutSeconds))
    }

    private struct Unexpected: Error { let error: String }

    @Test(
        "An address that could add recipients or commands is not sent",
        arguments: ["a@b>\r\nRCPT TO:<c@d", "a@b c@d", "", "a@b\n", "<a@b>", "a@b\u{0}"])
    func injection(address: String) throws {
        let server = try #require(SMTPAddress("smtp://127.0.0.1:9"))
        for (sender, recipient) in [(address, "c@d"), ("c@d", address)] {
            let delivery = SMTPDelivery(server: server, sender: sender, recipient: recipient, message: [])
            #expect(throws: SMTPClientError.malformedAddress) { try SMTPClient.send(delivery) }
        }
    }

    @Test(
        "A malformed mail server address is refused",
        arguments: [
            "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://a@b", "smtp://mail.example.com/path",
            "smtp://mail.example.com:x", "smtps://mail example.com", "smtp://mail.example.com?x",
        ])
    func addresses(text: String) { #expect(SMTPAddress(text) == nil) }
}
