import Foundation
import HTTPServer

/// The HTTP server without the permission service: it accepts the same requests and sends the same response to each.
final class ConstantServer: HTTPApplication {
    private static let body = Array(#"{"decision":true,"context":{"revision":100000}}"#.utf8)

    func admit(_ request: HTTPRequest) -> HTTPAdmission { .body(limitBytes: 1 << 20) }

    func answer(_ request: HTTPRequest) -> HTTPHandling {
        .now(
            HTTPResponse(
                status: 200,
                headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store")],
                body: .bytes(Self.body)))
    }

    func refusal(of request: HTTPRequest?, status: Int, detail: String) -> HTTPResponse { HTTPResponse(status: status) }
    func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64) {}

    /// Serves until the process is ended.
    static func run() throws -> Never {
        let server = try HTTPServer(HTTPServerSettings(), application: ConstantServer())
        try FileHandle.standardOutput.write(contentsOf: Data("listening on http://127.0.0.1:\(server.port)\n".utf8))
        while true { Thread.sleep(forTimeInterval: 1000) }
    }
}
