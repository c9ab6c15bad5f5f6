import Events
import Foundation
import Mail
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Guides of the service: each command prints the output in the guide")
struct GuideTests {
    /// A command begins with `$ ` and continues until its quotes are closed. Its output follows, up to the next command.
    private struct Block {
        let range: Range<String.Index>
        let commands: [String]
    }

    private func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var rest = text.startIndex
        while let open = text.range(of: "```\n$ ", range: rest..<text.endIndex),
            let close = text.range(of: "\n```", range: open.upperBound..<text.endIndex)
        {
            let start = text.index(open.lowerBound, offsetBy: 4)
            let range = start..<text.index(after: close.lowerBound)
            var commands: [String] = []
            for line in text[range].split(separator: "\n") {
                if line.hasPrefix("$ ") {
                    commands.append(String(line.dropFirst(2)))
                } else if let last = commands.last, last.count(where: { $0 == "'" }) % 2 == 1 {
                    commands[commands.count - 1] = last + "\n" + line
                }
            }
            blocks.append(Block(range: range, commands: commands))
            rest = close.upperBound
        }
        return blocks
    }

    /// Returns the output of each command, run in one shell.
    private func replay(_ commands: [String], environment: [String: String]) async throws -> [String] {
        let mark = "-- end of a command --"
        let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-guide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appending(path: "script")
        try Data((commands.map { "\($0)\necho; echo '\(mark)'\n" }.joined()).utf8).write(to: script)
        let result = try await ChildProcess(
            ["/bin/bash", script.path], environment: environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own },
            errors: .withOutput
        ).finish()
        let printed = result.output.components(separatedBy: mark + "\n")
        return printed.prefix(commands.count).map { text in
            // A feed sends its heartbeat on a schedule, possibly within the first second.
            text.split(separator: "\n").filter { $0 != ":" }.map { $0 + "\n" }.joined()
        }
    }

    @Test(
        "The guides on the HTTP API, the live feed, AuthZEN and accounts print the documented output",
        arguments: [("http-api", 20), ("live-feed", 8), ("authzen", 10), ("accounts", 25)])
    func commands(guide: String, atLeast count: Int) async throws {
        let path = "Docs/Guides/\(guide).md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let outbox = FileManager.default.temporaryDirectory.path + "/muniment-outbox-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: outbox) }
        let sender = try #require(MailSender("no-reply@localhost"))
        let mailer = try FolderMailer(folder: outbox, sender: sender, clock: { .newYear })
        // The feeds of a guide end after two seconds. On a slow machine they get more.
        for feedSeconds in [2, 10, 60] {
            let actual = try await played(text, mailer, outbox, atLeast: count, feedSeconds: feedSeconds)
            let isAsWritten = withoutCodes(actual) == withoutCodes(text)
            if !isAsWritten, text.contains("curl -m 2 "), feedSeconds < 60 { continue }
            #expect(withoutCodes(actual) == withoutCodes(text))
            // Writes the service's output into the guide.
            if !isAsWritten, ProcessInfo.processInfo.environment["MUNIMENT_WRITE_GUIDES"] != nil {
                try Data(actual.utf8).write(to: URL(filePath: path))
            }
            return
        }
    }

    /// Returns a text without the authentication codes of its cursors: each service has a key of its own.
    private func withoutCodes(_ text: String) -> String {
        text.replacing(/"next":"[\w-]{22}/, with: "\"next\":\"")
    }

    /// Returns a guide with what its commands print at a new service.
    private func played(
        _ text: String, _ mailer: FolderMailer, _ outbox: String, atLeast count: Int, feedSeconds: Int
    ) async throws -> String {
        var actual = text
        try await withService {
            $0.accounts = AccountServiceSettings(mailer: mailer)
        } _: { service in
            let address = "http://127.0.0.1:\(try service.listen())"
            let environment = [
                "AT": address + "/v1/stores/default", "PDP": address, "OUTBOX": outbox, "TOKEN": try service.administrator(),
            ]
            let blocks = blocks(text)
            let commands = blocks.flatMap(\.commands).map { $0.replacing("curl -m 2 ", with: "curl -m \(feedSeconds) ") }
            var printed = try await replay(commands, environment: environment)[...]
            #expect(printed.count > count)
            for block in blocks.reversed() {
                let outputs = printed.suffix(block.commands.count)
                printed = printed.dropLast(block.commands.count)
                let played = zip(block.commands, outputs).map { "$ \($0)\n\($1)" }.joined()
                actual.replaceSubrange(block.range, with: played)
            }
        }
        return actual
    }
}
