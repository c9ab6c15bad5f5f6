import Foundation
package import HTTPServer
import TestSupport

/// `curl` as the way to a service: a real client over a real socket.
package struct Curl: Door {
    /// Scheme, host and port.
    package let address: String
    /// What else curl is told.
    package let options: [String]

    package init(_ address: String, options: [String] = []) {
        self.address = address
        self.options = options
    }

    package func send(_ method: String, _ target: String, headers: [HTTPHeader], body: [UInt8]) async throws -> Answer {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var arguments = ["--silent", "--show-error", "--globoff", "--path-as-is", "--max-time", "60"] + options
        arguments += method == "HEAD" ? ["--head"] : ["--request", method]
        let (head, content) = (folder.appending(path: "head"), folder.appending(path: "body"))
        arguments += ["--dump-header", head.path, "--output", content.path]
        for header in headers { arguments += ["--header", "\(header.name): \(header.value)"] }
        if !body.isEmpty {
            let sent = folder.appending(path: "sent")
            try Data(body).write(to: sent)
            arguments += ["--header", "Expect:", "--data-binary", "@" + sent.path]
        }
        let (code, errors) = try await Curl.run(arguments + [address + target], in: folder)
        guard code == 0 else { throw CurlFailure(code: code, errors: errors) }
        let lines = try String(contentsOf: head, encoding: .utf8).split(whereSeparator: \.isNewline)
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw CurlFailure(code: code, errors: "no status")
        }
        let answered = lines.dropFirst().compactMap { line -> HTTPHeader? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? HTTPHeader(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
        }
        return Answer(status: status, headers: answered, body: (try? Data(contentsOf: content)).map(Array.init) ?? [])
    }

    private static func run(_ arguments: [String], in folder: URL) async throws -> (code: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = arguments
        let errors = folder.appending(path: "errors")
        try Data().write(to: errors)
        // A process that is over keeps what it was given, and more than a thousand open files are too many for Foundation.
        let handle = try FileHandle(forWritingTo: errors)
        defer { try? handle.close() }
        process.standardError = handle
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        let code = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run(endingWithinSeconds: 600) } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return (code, try String(contentsOf: errors, encoding: .utf8))
    }
}

/// curl could not do what it was told.
package struct CurlFailure: Error, CustomStringConvertible {
    package let code: Int32
    package let errors: String

    package var description: String { "curl ended with \(code): \(errors)" }
}
