import Foundation
import TestSupport
import Testing

@testable import CommandLineTool

/// Checks `Tools/Dockerfile` without a container: the files that it copies, and the packages and programs that it uses, must exist.
@Suite("The container image")
struct ContainerImageTests {
    /// An instruction of a Dockerfile: its first word, and the others.
    private struct Instruction {
        let name: String
        let text: String

        var words: [String] { text.split(separator: " ").map(String.init) }
        /// The words of the form `["…", "…"]`.
        var list: [String] { text.matches(of: /"([^"]*)"/).map { String($0.1) } }
    }

    private let text: String
    private let instructions: [Instruction]

    init() throws {
        text = try String(contentsOfFile: "\(TestSettings.package)/Tools/Dockerfile", encoding: .utf8)
        instructions = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
            .replacing("\\\n", with: " ").split(separator: "\n").map { line in
                let name = line.prefix { $0 != " " }
                return Instruction(name: String(name), text: String(line.dropFirst(name.count + 1)))
            }
    }

    private func all(_ name: String) -> [Instruction] { instructions.filter { $0.name == name } }

    /// The commands of all `RUN` instructions, each as its words.
    private var commands: [[String]] {
        let texts: [String] = all("RUN").flatMap { $0.text.components(separatedBy: "&&") }
        return texts.map { text -> [String] in
            let words: [String] = text.split(separator: " ").map(String.init)
            // Variables that the command gets come first.
            return Array(words.drop { $0.contains("=") })
        }
    }

    private func run(_ command: [String]) throws -> ChildProcess.Result {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/bin:/sbin:/bin"
        return try ChildProcess(
            ["/usr/bin/env"] + command, environment: ChildProcess.environment.merging(["PATH": path]) { $1 }, errors: .withOutput
        ).finish()
    }

    @Test("Every file that it copies exists, and the folders that the package names are all copied")
    func files() throws {
        let copied = all("COPY").map(\.words).filter { !$0[0].hasPrefix("--from") }.map { $0[0] }
        #expect(copied.contains("Package.swift") && copied.contains("Sources"))
        for path in copied { #expect(FileManager.default.fileExists(atPath: "\(TestSettings.package)/\(path)"), "\(path)") }
        let package = try String(contentsOfFile: "\(TestSettings.package)/Package.swift", encoding: .utf8)
        let named = Set(package.matches(of: /"(Sources|Tests|Tools|Plugins)\/?[^"]*"/).map { String($0.1) })
        #expect(!named.isEmpty && named.isSubset(of: copied), "\(named)")
        // The product of the first stage is the program of the second.
        let built = try #require(all("COPY").map(\.words).first { $0[0] == "--from=build" })
        let folder = try #require(all("WORKDIR").first?.text)
        #expect(built[1] == "\(folder)/.build/release/muniment" && package.contains(".executable(name: \"muniment\""))
        #expect(all("ENTRYPOINT").first?.list == [built[2]] && all("HEALTHCHECK").first?.list.first == built[2])
        let tools = try #require(package.firstMatch(of: /swift-tools-version: ?(\d+\.\d+)/)?.1)
        #expect(all("FROM").allSatisfy { $0.text.hasPrefix("swift:\(tools)-bookworm") })
    }

    @Test("Every package that it installs exists in Debian, and the libraries of the tool are among them")
    func packages() throws {
        let installed = commands.filter { $0.starts(with: ["apt-get", "install"]) }.map {
            $0.filter { !$0.hasPrefix("-") }.dropFirst(2)
        }
        try #require(installed.count == 2)
        for package in installed.flatMap({ $0 }) {
            let known = try run(["apt-cache", "show", "--no-all-versions", package])
            #expect(known.exitCode == 0 && known.output.contains("Package: \(package)\n"), "\(package): \(known.output)")
        }
        let prepared = try String(contentsOfFile: "\(TestSettings.package)/Tools/prepare", encoding: .utf8)
        for package in installed[0] { #expect(prepared.contains(package), "Tools/prepare does not install \(package)") }
        // Each library that the tool names itself comes with the system, with Swift, or with a package of the second stage.
        let needed = try run(["readelf", "--dynamic", BuiltTool.executable.path]).output
            .matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) }
        try #require(needed.count > 8)
        let paths = try run(["ldd", BuiltTool.executable.path]).output
        for library in needed where !library.hasPrefix("ld-linux") {
            let path = try #require(paths.split(separator: "\n").first { $0.contains("\(library) => ") }?.split(separator: " ")[2])
            if path.contains("/swift/") { continue }
            let file = URL(filePath: String(path)).resolvingSymlinksInPath().path
            let found = try run(["dpkg-query", "--search", "*/" + URL(filePath: file).lastPathComponent]).output
            let owners = Set(found.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) })
            let base = ["libc6", "libgcc-s1", "libstdc++6"]
            #expect(!owners.isDisjoint(with: installed[1] + base), "\(library) is in \(owners)")
        }
    }

    @Test("Every command that it runs exists, with its options")
    func runs() throws {
        for command in commands {
            let program = try #require(command.first)
            #expect(try run(["which", program]).exitCode == 0, "\(program)")
            // `apt-get` has no list of its options, and the values of the other options are not options.
            guard ["swift", "useradd", "install"].contains(program) else { continue }
            let help = try run(program == "swift" ? ["swift", command[1], "--help"] : [program, "--help"]).output
            for option in command where option.hasPrefix("--") { #expect(help.contains(option), "\(program) \(option)") }
        }
        #expect(commands.map(\.first).contains("swift"))
    }

    @Test("The service starts with its variables, its check of health succeeds, and the variables in its comments set options")
    func service() throws {
        let options = try CommandTable.command(in: ["serve"]).0.options
        let variables = options.map { "MUNIMENT_" + $0.name.uppercased().replacing("-", with: "_") }
        for name in text.matches(of: /MUNIMENT_[A-Z_]+/).map({ String($0.0) }) where name != "MUNIMENT_COMMIT" {
            #expect(variables.contains(name), "\(name)")
        }
        #expect(all("CMD").last?.list == ["serve"])
        try BuiltTool.inFreshFolder { tool in
            let data = tool.folder.appending(path: "data").path
            func inside(_ text: String) -> String { text == "/data" ? data : text.replacing(":8080", with: ":0") }
            var environment: [String: String] = [:]
            for word in try #require(all("ENV").first?.words) {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                environment[parts[0]] = inside(parts[1])
            }
            let service = try ServingTool(tool, call: "serve", lineCount: 1, environment: environment)
            #expect(service.address.hasPrefix("http://0.0.0.0:"))
            let health = try #require(all("HEALTHCHECK").first?.list).dropFirst().map(inside)
            #expect(try tool.run(health).code == 0)
            #expect(try service.stop().code == 0)
        }
    }
}
