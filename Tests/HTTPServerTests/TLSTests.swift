import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite struct `TLS: a certificate and its key are all it takes` {
    @Test("curl trusts the certificate that it is shown, gets its answer, and a stream; plain text gets none")
    func servesCurl() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem").path
        let certificate = folder.appending(path: "certificate.pem").path
        let made = try run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
        #expect(made.code == 0)
        var settings = HTTPServerSettings()
        settings.tls = HTTPServerSettings.TLSFiles(
            certificatePEM: try String(contentsOfFile: certificate, encoding: .utf8),
            keyPEM: try String(contentsOfFile: key, encoding: .utf8))
        let application = TestApplication(
            bodyLimit: 100_000,
            answering: { request in
                guard request.path == "/stream" else { return .now(.text("\(request.body.count)")) }
                let stream = HTTPStream()
                DispatchQueue.global().async {
                    for number in 1...5_000 { try? stream.writeBlocking(Array("\(number)\n".utf8)) }
                    stream.finish()
                }
                return .now(HTTPResponse(status: 200, body: .stream(stream)))
            })
        try withServer(application, settings) { server in
            let address = "https://127.0.0.1:\(server.port)"
            let posted = try run(
                "curl", "-sS", "--max-time", "20", "--cacert", certificate, "-d", String(repeating: "x", count: 50_000), address)
            #expect(posted.output == "50000")
            let streamed = try run("curl", "-sS", "--max-time", "20", "--cacert", certificate, address + "/stream")
            #expect(streamed.output == (1...5_000).map { "\($0)\n" }.joined())
            #expect(try run("curl", "-sS", "--max-time", "20", address).code == 60)
            #expect(try run("curl", "-sS", "--max-time", "20", "--tls-max", "1.1", "-k", address).code != 0)
            let plain = try RawClient(port: server.port).answers(to: "GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(plain.answers.isEmpty)
        }
    }

    @Test("A certificate that is none is refused with a word on what to do")
    func refusesBadFiles() {
        var settings = HTTPServerSettings()
        settings.tls = HTTPServerSettings.TLSFiles(certificatePEM: "not a certificate", keyPEM: "not a key")
        #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try HTTPServer(settings, application: TestApplication()) }
    }

    @Test("A server that cannot start closes nothing but its own")
    func closesItsOwn() throws {
        var settings = HTTPServerSettings()
        settings.tls = HTTPServerSettings.TLSFiles(certificatePEM: "not a certificate", keyPEM: "not a key")
        // Each number that is free is taken and given back at once: what is closed without being one's own is one of these.
        let others = TestThread { for _ in 0..<500_000 { try #require(close(dup(2)) == 0) } }
        for _ in 0..<2_000 {
            #expect(throws: HTTPServerError.cannotStart(isTLS: true)) { try HTTPServer(settings, application: TestApplication()) }
        }
        try others.join()
    }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run(endingWithinSeconds: 600)
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
