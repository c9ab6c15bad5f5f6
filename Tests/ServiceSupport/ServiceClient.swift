package import Events
import Foundation
package import HTTPServer

/// Calls a service, directly or over a socket. The same tests use both.
package protocol ServiceClient: Sendable {
    func send(_ method: String, _ target: String, headers: [HTTPHeader], body: [UInt8]) async throws -> Answer
}

/// A response of a service.
package struct Answer: Sendable {
    package let status: Int
    package let headers: [HTTPHeader]
    package let body: [UInt8]

    package init(status: Int, headers: [HTTPHeader], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var json: JSONValue { get throws { try JSONText.decode(body) } }

    /// Returns the first header with this name, in any letter case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension ServiceClient {
    /// Sends JSON, or an empty body.
    package func send(
        _ method: String, _ target: String, token: String? = nil, json: String? = nil, headers: [HTTPHeader] = []
    ) async throws -> Answer {
        var headers = headers
        if let token { headers.append(HTTPHeader("Authorization", "Bearer " + token)) }
        if json != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        return try await send(method, target, headers: headers, body: Array((json ?? "").utf8))
    }
}
