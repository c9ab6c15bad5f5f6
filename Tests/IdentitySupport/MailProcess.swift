import Events
import Foundation
import Hashing
import TestSupport

/// A mail server in a separate process: `aiosmtpd`. It keeps received mails in the order of their arrival.
package final class MailProcess: Sendable {
    /// The encryption that the server requires.
    package enum Security: String, Sendable {
        /// No encryption.
        case none
        /// STARTTLS before the server accepts anything.
        case startTLS
        /// TLS from the first byte on.
        case tls
    }

    private let server: PythonServer
    private let security: Security
    /// The SHA-256 of the server's public key, which pins its self-signed certificate.
    package let keyDigest: [UInt8]
    /// The login that the server accepts if it requires one.
    package static let user = "muniment"
    package static let password = "pässword with blanks"

    private static let script = """
        import asyncio, json, logging
        from aiosmtpd.smtp import SMTP, AuthResult
        logging.disable()
        security, folder, user, password = sys.argv[1:5]
        class Taker:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith('nobody@'): return '550 no such mailbox'
                envelope.rcpt_tos.append(address)
                return '250 OK'
            async def handle_DATA(self, server, session, envelope):
                print(json.dumps({'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'isEncrypted': session.ssl is not None
                    or security == 'tls', 'isSignedIn': bool(session.authenticated), 'data': envelope.content.decode('utf-8')}), flush=True)
                return '250 OK'
        def check(server, session, envelope, mechanism, data):
            return AuthResult(success=(data.login, data.password) == (user.encode(), password.encode()),
                handled=False)
        context = None
        if security != 'none':
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder + '/cert.pem', folder + '/key.pem')
        async def serve():
            make = lambda: SMTP(Taker(), hostname='mail.example', tls_context=context if security == 'startTLS' else None,
                require_starttls=security == 'startTLS', auth_required=bool(user), auth_require_tls=security == 'startTLS',
                authenticator=check, data_size_limit=65536)
            server = await asyncio.get_running_loop().create_server(make, '127.0.0.1', 0, ssl=context if security == 'tls' else None)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        import warnings
        warnings.simplefilter('ignore')
        asyncio.run(serve())
        """

    /// - Parameter asksWho: whether the client must sign in as ``user`` with ``password``.
    package init(_ security: Security = .none, asksWho: Bool = false) throws {
        self.security = security
        let folder = try ScratchFolder()
        try OpenSSLCommand.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=mail.example",
                "-days",
                "2", "-keyout", "key.pem", "-out", "cert.pem",
            ], in: folder.path)
        let key = try OpenSSLCommand.run(["pkey", "-in", "key.pem", "-pubout", "-outform", "DER"], in: folder.path)
        keyDigest = Digest(of: Array(key).span).bytes
        let login = asksWho ? [MailProcess.user, MailProcess.password] : ["", ""]
        server = try PythonServer(
            MailProcess.script, [security.rawValue, folder.path] + login, interpreter: try ServerEnvironment.interpreter.get())
    }

    /// The server's address: `smtp://…` or `smtps://…`.
    package var address: String { (security == .tls ? "smtps" : "smtp") + "://127.0.0.1:\(server.port)" }

    /// A mail that the server received.
    package struct Taken: Sendable {
        package let sender: String
        package let recipients: [String]
        /// The received bytes, with CR LF line ends, and without the dots that SMTP adds.
        package let data: String
        package let isEncrypted: Bool
        package let isSignedIn: Bool
    }

    /// Waits for the next received mail and returns it. The server blocks after 64 KiB of mails that the test has not read.
    package func next() throws -> Taken {
        let line = try server.line().orThrow("the end of the mail server")
        let value = try JSONText.decode(Array(line.utf8))
        guard case .string(let sender)? = value["from"], case .array(let recipients)? = value["to"],
            case .string(let data)? = value["data"]
        else { throw MalformedLine(line: line) }
        return Taken(
            sender: sender, recipients: recipients.compactMap { if case .string(let text) = $0 { text } else { nil } }, data: data,
            isEncrypted: value["isEncrypted"] == .bool(true), isSignedIn: value["isSignedIn"] == .bool(true))
    }

    private struct MalformedLine: Error { let line: String }

    package func stop() { server.stop() }
}
