import Foundation
package import HTTPServer
import TestSupport

/// Calls a service with `curl`: a real client over a real socket.
package struct Curl: ServiceClient {
    /// Scheme, host and port.
    package let address: String
    /// Additional options of curl.
    package let options: [String]

    package init(_ address: String, options: [String] = []) {
        self.address = address
        self.options = options
    }

    package func send(_ method: String, _ target: String, headers: [HTTPHeader], body: [UInt8]) async throws -> Answer {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var arguments = ["--silent", "--show-error", "--globoff", "--path-as-is", "--max-time", "600"] + options
        arguments += method == "HEAD" ? ["--head"] : ["--request", method]
        let (head, content) = (folder.appending(path: "head"), folder.appending(path: "body"))
        arguments += ["--dump-header", head.path, "--output", content.path]
        for header in headers { arguments += ["--header", "\(header.name): \(header.value)"] }
        if !body.isEmpty {
            let sent = folder.appending(path: "sent")
            try Data(body).write(to: sent)
            arguments += ["--header", "Expect:", "--data-binary", "@" + sent.path]
        }
        let curl = try await ChildProcess(["/usr/bin/curl"] + arguments + [address + target], output: .discarded).finish()
        guard curl.exitCode == 0 else { throw CurlFailure(code: curl.exitCode, errors: curl.errors) }
        let lines = try String(contentsOf: head, encoding: .utf8).split(whereSeparator: \.isNewline)
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw CurlFailure(code: 0, errors: "no status")
        }
        let answered = lines.dropFirst().compactMap { line -> HTTPHeader? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? HTTPHeader(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
        }
        return Answer(status: status, headers: answered, body: (try? Data(contentsOf: content)).map(Array.init) ?? [])
    }
}

/// curl failed.
package struct CurlFailure: Error, CustomStringConvertible {
    package let code: Int32?
    package let errors: String

    package var description: String { "curl ended with \(code.map(String.init) ?? "a signal"): \(errors)" }
}
