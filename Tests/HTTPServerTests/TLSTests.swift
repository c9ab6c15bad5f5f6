import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("TLS: needs only a certificate and its key") struct TLSTests {
    /// Returns settings with a certificate and its key.
    private func settings(_ certificate: ServerCertificate) throws -> HTTPServerSettings {
        var settings = HTTPServerSettings()
        settings.tls = try files(certificate)
        return settings
    }

    private func files(_ certificate: ServerCertificate) throws -> HTTPServerSettings.TLSFiles {
        HTTPServerSettings.TLSFiles(certificatePEM: try certificate.certificatePEM, keyPEM: try certificate.keyPEM)
    }

    /// Runs curl with one trusted certificate. Returns its exit code and the body.
    private func curl(_ address: String, trusting file: String, _ more: String...) throws -> (code: Int32?, output: String) {
        try run(["curl", "-sS", "--max-time", "120", "--cacert", file] + more + [address])
    }

    private let echo = TestApplication(
        bodyLimit: 100_000,
        answering: { request in
            guard request.path == "/stream" else { return .now(.text("\(request.body.count)")) }
            let stream = HTTPStream()
            _ = TestThread {
                for number in 1...5_000 { try? stream.writeBlocking(Array("\(number)\n".utf8)) }
                stream.finish()
            }
            return .now(HTTPResponse(status: 200, body: .stream(stream)))
        })

    @Test(
        "curl trusts the certificate and gets a response and a stream; plain HTTP gets no response",
        arguments: ServerCertificate.KeyKind.allCases)
    func servesCurl(kind: ServerCertificate.KeyKind) throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(kind, in: folder)
            try withServer(echo, settings(certificate)) { server in
                let address = "https://127.0.0.1:\(server.port)"
                let body = String(repeating: "x", count: 50_000)
                #expect(try curl(address, trusting: certificate.certificateFile, "-d", body).output == "50000")
                let streamed = try curl(address + "/stream", trusting: certificate.certificateFile)
                #expect(streamed.output == (1...5_000).map { "\($0)\n" }.joined())
                #expect(try run(["curl", "-sS", "--max-time", "120", address]).code == 60)
                let plain = try RawClient(port: server.port).answers(to: "GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                #expect(plain.answers.isEmpty)
            }
        }
    }

    @Test("A client that trusts the root certificate gets the whole chain")
    func chain() throws {
        try withTemporaryFolder { folder in
            let root = try ServerCertificate(.p384, in: folder, name: "root")
            let leaf = try ServerCertificate(.rsa2048, in: folder, name: "leaf", issuer: root)
            try withServer(echo, settings(leaf)) { server in
                let address = "https://127.0.0.1:\(server.port)"
                #expect(try curl(address, trusting: root.certificateFile, "-d", "four").output == "4")
                let shown = try run(
                    ["openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-showcerts"]
                ).output.ranges(of: "BEGIN CERTIFICATE")
                #expect(shown.count >= 2)
            }
        }
    }

    @Test("An encrypted key is refused, and the error says how to fix it", arguments: [false, true])
    func encryptedKey(isTraditional: Bool) throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(.p256, in: folder)
            var settings = try settings(certificate)
            settings.tls?.keyPEM = try certificate.encryptedKeyPEM(traditional: isTraditional)
            #expect(throws: HTTPServerError.encryptedKey) { try HTTPServer(settings, application: TestApplication()) }
        }
    }

    @Test("A key that does not match the certificate is refused")
    func foreignKey() throws {
        try withTemporaryFolder { folder in
            let (one, other) = (
                try ServerCertificate(.p256, in: folder), try ServerCertificate(.p256, in: folder, name: "other")
            )
            var settings = try settings(one)
            settings.tls?.keyPEM = try other.keyPEM
            #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try HTTPServer(settings, application: TestApplication()) }
        }
    }

    /// Options of `openssl s_client`, and whether the server may accept them.
    static let offers: [(String, Bool)] = [
        ("-tls1_3", true), ("-tls1_2", true), ("-tls1_1 -cipher DEFAULT@SECLEVEL=0", false),
        ("-tls1 -cipher DEFAULT@SECLEVEL=0", false), ("-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", true),
        ("-tls1_2 -cipher ECDHE-RSA-CHACHA20-POLY1305", true),
        // Without forward secrecy.
        ("-tls1_2 -cipher AES128-GCM-SHA256", false), ("-tls1_2 -cipher AES256-SHA256", false),
        // Without authenticated encryption (AEAD).
        ("-tls1_2 -cipher ECDHE-RSA-AES256-SHA384", false), ("-tls1_2 -cipher ECDHE-RSA-AES128-SHA", false),
        ("-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256", false), ("-tls1_2 -cipher NULL:aNULL@SECLEVEL=0", false),
    ]

    @Test("The server accepts only TLS 1.2 and 1.3 with forward secrecy and authenticated encryption", arguments: offers)
    func protocols(offer: String, isAccepted: Bool) throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(.rsa2048, in: folder)
            try withServer(echo, settings(certificate)) { server in
                let call = ["openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-brief"]
                let result = try run(call + offer.split(separator: " ").map(String.init))
                #expect((result.code == 0) == isAccepted, "\(offer): \(result)")
            }
        }
    }

    @Test("New connections get a new certificate; streams continue, and other connections end after their next response")
    func replacement() throws {
        try withTemporaryFolder { folder in
            let (first, second) = (
                try ServerCertificate(.rsa2048, in: folder, name: "first"), try ServerCertificate(.p256, in: folder, name: "second")
            )
            let streams = Mutex<[HTTPStream]>([])
            let application = TestApplication(answering: { request in
                guard request.path == "/stream" else { return .now(.text("here")) }
                let stream = HTTPStream()
                streams.withLock { $0.append(stream) }
                return .now(HTTPResponse(status: 200, body: .stream(stream)))
            })
            try withServer(application, settings(first)) { server in
                let address = "https://127.0.0.1:\(server.port)"
                let output = folder + "/stream"
                let reader = TestThread {
                    try #require(try curl(address + "/stream", trusting: first.certificateFile, "-N", "-o", output).code == 0)
                }
                let stream = try awaited { streams.withLock { $0.first } }
                try stream.writeBlocking(Array("before\n".utf8))
                _ = try awaited { (try? String(contentsOfFile: output, encoding: .utf8))?.contains("before") == true ? true : nil }

                var wrong = try files(second)
                wrong.keyPEM = "not a key"
                #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try server.replaceCertificate(with: wrong) }
                #expect(try curl(address, trusting: first.certificateFile).output == "here")

                // One connection for three requests. The certificate is replaced while it is open.
                let kept = try KeptConnection(port: server.port, trusting: first.certificateFile)
                #expect(try kept.response().contains("Connection: close") == false)
                for certificate in [second, first, second] { try server.replaceCertificate(with: files(certificate)) }
                #expect(try kept.response().contains("Connection: close"))

                #expect(try curl(address, trusting: second.certificateFile).output == "here")
                #expect(try curl(address, trusting: first.certificateFile).code == 60)
                try stream.writeBlocking(Array("after\n".utf8))
                stream.finish()
                try reader.join()
                #expect(try String(contentsOfFile: output, encoding: .utf8) == "before\nafter\n")
                // Servers without connections end during these requests.
                for _ in 0..<30 {
                    #expect(try curl(address, trusting: second.certificateFile).output == "here")
                }
            }
        }
    }

    @Test("An unfinished handshake uses no processor time and does not block other clients")
    func stalledHandshake() throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(.p256, in: folder)
            let workerClock = Mutex<clockid_t?>(nil)
            let application = TestApplication(answering: { _ in
                var clock = clockid_t()
                if unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0 { workerClock.withLock { $0 = clock } }
                return .now(.text("here"))
            })
            var settings = try settings(certificate)
            settings.threads = 1
            try withServer(application, settings) { server in
                let address = "https://127.0.0.1:\(server.port)"
                let stalled = try RawClient(port: server.port)
                stalled.send([0x16, 0x03, 0x01, 0x02])
                // The server accepts connections in order, so it has accepted the first one by now.
                #expect(try curl(address, trusting: certificate.certificateFile).output == "here")
                let clock = try #require(workerClock.withLock { $0 })
                let before = nanoseconds(of: clock)
                sleep(3)
                #expect(nanoseconds(of: clock) - before < 300_000_000)
                #expect(try curl(address, trusting: certificate.certificateFile).output == "here")
            }
        }
    }

    private func nanoseconds(of clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test("A server stops while connections with an earlier certificate are open")
    func stopsWithEarlierConnections() throws {
        try withTemporaryFolder { folder in
            let first = try ServerCertificate(.p256, in: folder)
            let second = try ServerCertificate(.p256, in: folder, name: "second")
            try withServer(echo, settings(first)) { server in
                let kept = try KeptConnection(port: server.port, trusting: first.certificateFile)
                _ = try kept.response()
                try server.replaceCertificate(with: files(second))
            }
        }
    }

    /// Repeats the body until it returns a value, for at most as long as a busy machine needs.
    private func awaited<R>(_ body: () throws -> R?) throws -> R {
        for _ in 0..<12_000 {
            if let result = try body() { return result }
            usleep(10_000)
        }
        throw CocoaError(.featureUnsupported)
    }

    @Test("An invalid certificate is refused, and the error says what to do")
    func refusesBadFiles() {
        var settings = HTTPServerSettings()
        settings.tls = HTTPServerSettings.TLSFiles(certificatePEM: "not a certificate", keyPEM: "not a key")
        #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try HTTPServer(settings, application: TestApplication()) }
    }

    @Test("A server that fails to start closes only its own descriptors")
    func closesItsOwn() throws {
        var settings = HTTPServerSettings()
        settings.tls = HTTPServerSettings.TLSFiles(certificatePEM: "not a certificate", keyPEM: "not a key")
        // Another thread opens and closes descriptors all the time. A wrong close in the server would hit one of them.
        let others = TestThread { for _ in 0..<500_000 { try #require(close(dup(2)) == 0) } }
        for _ in 0..<2_000 {
            #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try HTTPServer(settings, application: TestApplication()) }
        }
        try others.join()
    }

    private func run(_ arguments: [String]) throws -> (code: Int32?, output: String) {
        let result = try ChildProcess(arguments).finish()
        return (result.exitCode, result.output)
    }
}

/// A connection of `openssl s_client` that sends several requests.
private final class KeptConnection {
    private let process: ChildProcess

    init(port: UInt16, trusting file: String) throws {
        process = try ChildProcess(
            ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-CAfile", file], hasInput: true, output: .pipe)
    }

    /// Sends a request and returns the body of the response, which is `here` or `0`.
    func response() throws -> String {
        try process.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        var text = ""
        while !text.hasSuffix("\r\n\r\nhere"), !text.hasSuffix("\r\n\r\n0") {
            let more = process.available()
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}
