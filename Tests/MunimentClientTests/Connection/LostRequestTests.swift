import Events
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Requests that the service does not answer", .timeLimit(.minutes(60)))
struct LostRequestTests {
    private func failure(_ script: String, timeoutSeconds: Int = 1) async throws -> TransportError? {
        let server = try PythonServer("import socket\nlistener = socket.create_server(('127.0.0.1', 0), backlog=0)\n" + script)
        let transport = URLSessionTransport(try ServiceAddress("http://127.0.0.1:\(server.port)"), timeoutSeconds: timeoutSeconds)
        do throws(TransportError) {
            _ = try await transport.send(ServiceRequest(.post, "/v1/accounts/sign-in", body: Array("{}".utf8)))
            return nil
        } catch {
            return error
        }
    }

    @Test("A connection timeout because of dropped packets is reported as not sent")
    func notSent() async throws {
        let error = try await failure(
            """
            clients = []
            for n in range(8):
                client = socket.socket(); client.settimeout(0.2); clients.append(client)
                try: client.connect(listener.getsockname())
                except OSError: break
            print(listener.getsockname()[1])
            threading.Event().wait()
            """)
        guard case .notSent? = error else { throw Unexpected(error: "\(error as Any)") }
    }

    @Test("A request without a response is reported as possibly executed")
    func noAnswer() async throws {
        let script = """
            print(listener.getsockname()[1])
            taken, _ = listener.accept()
            threading.Event().wait()
            """
        var error: TransportError?
        for seconds in growingLimits {
            error = try await failure(script, timeoutSeconds: seconds)
            if case .noAnswer? = error { return }
        }
        throw Unexpected(error: "\(error as Any)")
    }

    private struct Unexpected: Error { let error: String }
}
