import Foundation
import TestSupport
import Testing

/// The built `muniment`, run as a separate process in a separate folder.
struct BuiltTool {
    /// The result of a call.
    struct Result {
        let code: Int32?
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The folder where the tool runs. Its store is `demo` unless a call names another one.
    let folder: URL

    var store: String { folder.appending(path: "demo").path }

    /// Runs `body` with a tool in a fresh folder, which is removed afterwards.
    static func inFreshFolder(_ body: (BuiltTool) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(BuiltTool(folder: folder))
    }

    /// Calls the tool.
    func run(_ words: [String]) throws -> Result { try call([BuiltTool.executable.path] + words) }

    /// Calls the tool with words separated by spaces; `'…'` keeps spaces.
    func run(_ sentence: String) throws -> Result { try run(BuiltTool.words(of: sentence)) }

    /// Calls the tool and expects it to succeed.
    @discardableResult
    func make(_ sentence: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Result {
        let result = try run(sentence)
        #expect(result.code == 0, "muniment \(sentence): \(result.errors)", sourceLocation: sourceLocation)
        return result
    }

    /// Returns the only JSON object that a call prints.
    func object(_ sentence: String) throws -> [String: Any] {
        let result = try run(sentence)
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    /// Runs a shell command line. In it, `$muniment` is the tool.
    func shell(_ line: String) throws -> Result {
        try call(["/bin/sh", "-c", line])
    }

    /// Runs shell commands of a guide. In them, `muniment` is the tool.
    func runGuide(_ lines: String) throws -> Result { try shell("muniment() { \"$muniment\" \"$@\"; }\n" + lines) }

    /// Writes a file into the folder.
    func write(_ text: String, to name: String, mode: Int = 0o644) throws {
        let path = folder.appending(path: name)
        try Data(text.utf8).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
    }

    private func call(_ command: [String]) throws -> Result {
        let result = try ChildProcess(
            command, in: folder.path,
            environment: ["MUNIMENT_STORE": "demo", "muniment": BuiltTool.executable.path, "PATH": "/usr/bin:/bin"]
        ).finish()
        return Result(code: result.exitCode, output: result.output, errors: result.errors)
    }

    /// The tool is built into the folder of the tests.
    static let executable: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "muniment").path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "muniment")
    }()

    private static func words(of sentence: String) -> [String] {
        var words: [String] = []
        for (index, part) in sentence.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 { words.append(String(part)) } else { words += part.split(separator: " ").map(String.init) }
        }
        return words
    }
}

extension BuiltTool {
    /// Creates an open store with a document that Ann may read and Bob may not.
    func makeDemo() throws {
        try make("init --open")
        try make("class define doc --properties title")
        try make("register user:ann")
        try make("register user:bob")
        try make("object create doc:plan --value '{\"title\":\"Plan\"}'")
        try make("grant user:ann read on doc:plan")
    }
}
