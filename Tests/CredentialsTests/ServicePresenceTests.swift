import Credentials
import Files
import Foundation
import NetworkClient
import TestSupport
import Testing

@Suite("The command-line tool finds a running service, and ignores the note of a dead one")
struct ServicePresenceTests {
    let folder: ScratchFolder
    var note: String { folder.path + "/.muniment/service.json" }

    init() throws { folder = try ScratchFolder() }

    private var isFound: Bool { if case _? = RunningService(dataDirectory: folder.path) { true } else { false } }

    /// Responds with the path, the `Authorization` header and the body of the request.
    private static let echo = """
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *a): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                text = self.path + ' ' + self.headers['Authorization'] + ' ' + body.decode()
                self.send_response(200); self.send_header('Content-Length', str(len(text))); self.end_headers()
                self.wfile.write(text.encode())
        server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Handler)
        if len(sys.argv) > 2:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[2], sys.argv[3])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1])
        server.serve_forever()
        """

    @Test("A service is found from its announcement until its end, and receives its secret", arguments: ["127.0.0.1", "0.0.0.0"])
    func found(host: String) throws {
        let server = try PythonServer(ServicePresenceTests.echo, [host])
        #expect(!isFound)
        let presence = try ServiceLock(dataDirectory: folder.path)
        #expect(!isFound)
        try presence.announce(host: host, port: server.port)
        let service = try #require(RunningService(dataDirectory: folder.path))
        let answer = try service.send(.post, "/x?y", json: Array("{}".utf8))
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self) == "/x?y Bearer \(presence.secret) {}")
        presence.end()
        #expect(!isFound)
        #expect(!fileExists(note))
    }

    @Test("A note with a flipped bit is invalid, so the secret is not sent to another service")
    func flippedNote() throws {
        let presence = try ServiceLock(dataDirectory: folder.path)
        defer { presence.end() }
        try presence.announce(host: "127.0.0.1", port: 8080)
        #expect(isFound)
        let whole = try readFile(note)
        for offset in whole.indices {
            for bit in 0..<8 {
                var flipped = whole
                flipped[offset] ^= 1 << UInt8(bit)
                try Data(flipped).write(to: URL(filePath: note))
                #expect(!isFound, "bit \(bit) of byte \(offset)")
            }
        }
        try Data(whole).write(to: URL(filePath: note))
        #expect(isFound)
    }

    @Test("Only the owner can read the secret, and each start makes a new one")
    func secrecy() throws {
        var secrets: Set<String> = []
        for _ in 0..<3 {
            let presence = try ServiceLock(dataDirectory: folder.path)
            try presence.announce(host: "127.0.0.1", port: 1)
            #expect(try FileManager.default.attributesOfItem(atPath: note)[.posixPermissions] as? Int == 0o600)
            #expect(presence.secret.wholeMatch(of: /local_[A-Za-z0-9_-]{43}/) != nil)
            secrets.insert(presence.secret)
            presence.end()
        }
        #expect(secrets.count == 3)
    }

    @Test("The note of a dead service is ignored")
    func stale() throws {
        let presence = try ServiceLock(dataDirectory: folder.path)
        try presence.announce(host: "127.0.0.1", port: 1)
        let left = try readFile(note)
        presence.end()
        // As after a kill: the note exists, and no process holds the lock.
        try Data(left).write(to: URL(filePath: note))
        #expect(!isFound)
        // A service that starts again removes the note before a client can find it.
        let next = try ServiceLock(dataDirectory: folder.path)
        #expect(!fileExists(note))
        next.end()
    }

    @Test("A second service on a data directory is refused, and the error names the process that holds it")
    func second() throws {
        let presence = try ServiceLock(dataDirectory: folder.path)
        let error = #expect(throws: ServiceLockError.self) { try ServiceLock(dataDirectory: folder.path) }
        #expect(error?.description.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        presence.end()
        try ServiceLock(dataDirectory: folder.path).end()
    }

    @Test("Ending a service twice does not affect the service that started after it")
    func endedTwice() throws {
        let first = try ServiceLock(dataDirectory: folder.path)
        try first.announce(host: "127.0.0.1", port: 1)
        first.end()
        let second = try ServiceLock(dataDirectory: folder.path)
        try second.announce(host: "127.0.0.1", port: 1)
        first.end()
        #expect(isFound)
        second.end()
    }

    @Test("With TLS, the tool trusts only the key in the service's certificate, even if it is self-signed")
    func tls() throws {
        for name in ["mine", "other"] {
            try OpenSSLCommand.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=elsewhere",
                    "-days", "2", "-keyout", "\(name).key", "-out", "\(name).pem",
                ], in: folder.path)
        }
        let server = try PythonServer(
            ServicePresenceTests.echo, ["127.0.0.1", folder.path + "/mine.pem", folder.path + "/mine.key"])
        for (name, isTrusted) in [("mine", true), ("other", false)] {
            let pem = try String(contentsOfFile: folder.path + "/\(name).pem", encoding: .utf8)
            let presence = try ServiceLock(dataDirectory: folder.path)
            try presence.announce(host: "127.0.0.1", port: server.port, certificatePEM: pem)
            let service = try #require(RunningService(dataDirectory: folder.path))
            if isTrusted {
                #expect(try service.send(.post, "/", json: []).status == 200)
            } else {
                #expect(throws: ServiceUnreachableError.self) { try service.send(.post, "/", json: []) }
            }
            presence.end()
        }
        let presence = try ServiceLock(dataDirectory: folder.path)
        defer { presence.end() }
        #expect(throws: ServiceLockError.noCertificate) {
            try presence.announce(host: "127.0.0.1", port: 1, certificatePEM: "nothing")
        }
    }
}
