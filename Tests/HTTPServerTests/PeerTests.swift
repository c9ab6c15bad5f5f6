import HTTPServer
import TestSupport
import Testing

@Suite("Client addresses")
struct PeerTests {
    @Test("An IPv4 client has an IPv4 address, even on a dual-stack socket", arguments: ["::", "127.0.0.1"])
    func mapped(address: String) throws {
        let application = TestApplication(answering: { .now(.text("from \($0.peer)")) })
        try withServer(application, HTTPServerSettings(address: address)) { server in
            let answers = try exchange("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n", with: server)
            #expect(answers?.answers.map(\.body) == ["from 127.0.0.1"])
        }
    }
}
