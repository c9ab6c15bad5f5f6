import Foundation
import Primitives

/// A client process, and the files of its replica.
final class DemoProcess {
    let name: String
    private let folder: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// The view of the client's application.
    struct View {
        let objects: JSONObject
        let ends: [String]
        let connection: String
        let revision: String
        let pendingCount: Int64

        var isCurrent: Bool { connection == "connected" }
        /// The objects that pending transactions change.
        var pending: [String] { objects.filter { $0.value["isPending"] == .bool(true) }.map(\.key) }

        func text(of name: String, _ member: String) -> String? {
            if case .string(let text)? = objects[name]?["value"]?[member] { text } else { nil }
        }
    }

    struct NoAnswer: Error, CustomStringConvertible { let description: String }

    init(_ name: String, _ service: String, _ folder: String, token: String) throws {
        self.name = name
        self.folder = folder + "/" + name
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["client", service, self.folder + "/replica", "user:\(name)", token]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Sends a command, and returns the answer.
    func ask(_ command: String) throws -> JSONValue {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(unread[..<end])
                unread.removeSubrange(...end)
                return try JSONText.decode(line)
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw NoAnswer(description: "the process of \(name) has ended") }
            unread += data
        }
    }

    func view() throws -> View {
        let json = try ask("view")
        guard case .object(let objects)? = json["objects"], case .array(let ends)? = json["ends"],
            case .string(let connection)? = json["connection"], case .integer(let pending)? = json["pending"]
        else { throw NoAnswer(description: "\(name) answers \(json)") }
        let revision = if case .integer(let number)? = json["revision"] { "\(number)" } else { "none" }
        return View(
            objects: objects, ends: ends.compactMap { if case .string(let text) = $0 { text } else { nil } },
            connection: connection,
            revision: revision, pendingCount: pending)
    }

    /// Waits until the view is as expected: at most twenty minutes.
    func wait(_ what: String, until isSo: (View) -> Bool) async throws {
        for _ in 0..<24_000 {
            if isSo(try view()) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NoAnswer(description: "not so within twenty minutes: \(name) \(what); it sees \(try view())")
    }

    /// Whether a file of the replica has a text.
    func files(contain text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder).contains { file in
            try Data(contentsOf: URL(filePath: folder + "/" + file)).range(of: Data(text.utf8)) != nil
        }
    }

    /// Ends the process with SIGKILL.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
