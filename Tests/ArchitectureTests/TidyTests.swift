import Testing

/// Style rules for source files. Each rule is a pure function from a file to its violations.
enum Tidiness {
    static let lineLimit = 400
    static let characterLimit = 140
    static let bannedFolders: Set = ["New", "Utils", "Helpers", "Common", "Manager"]
    static let bannedWords = ["TO" + "DO", "FIX" + "ME"]
    /// The targets that use C or operating system interfaces.
    static let unsafeTargets: Set = [
        "LMDB", "Hashing", "Files", "Secrets", "HTTPServer", "NetworkClient", "PostgreSQLLog", "Transfers",
    ]
    /// The folders of the client for code that differs between systems.
    static let platformFolders = ["Sources/Client/MunimentClient/Platform/", "Sources/Client/SQLite/Platform/"]

    static func isPlatform(_ path: String) -> Bool { platformFolders.contains { path.hasPrefix($0) } }

    static func faults(_ file: SourceTree.File) -> [String] {
        var faults: [String] = []
        if file.text.hasSuffix("\n") == false { faults.append("does not end with a line's end") }
        if file.lines.count - 1 > lineLimit { faults.append("has \(file.lines.count - 1) lines; at most \(lineLimit) are allowed") }
        for (index, line) in file.lines.enumerated() {
            if line.contains("\t") { faults.append("line \(index + 1) has a tab") }
            if line.count > characterLimit { faults.append("line \(index + 1) has \(line.count) characters") }
            for word in bannedWords where line.contains(word) { faults.append("line \(index + 1) says \(word)") }
        }
        for folder in file.folders where bannedFolders.contains(folder) { faults.append("is in a folder called \(folder)") }
        if !unsafeTargets.contains(file.target), !isPlatform(file.path), SourceTokens.of(file.text).contains("unsafe") {
            faults.append("says `unsafe`, which only \(unsafeTargets.sorted().joined(separator: ", ")) may")
        }
        return faults
    }
}

@Suite("Tidy: style rules for every file")
struct TidyTests {
    @Test("Every file of Sources follows the style rules")
    func sourcesAreTidy() throws {
        for file in try SourceTree.swiftFiles(below: "Sources") {
            let faults = Tidiness.faults(file)
            #expect(faults.isEmpty, "\(file.path) \(faults.joined(separator: "; "))")
        }
    }

    @Test("No folder of Sources or Tests has a meaningless name", arguments: ["Sources", "Tests"])
    func foldersAreConcepts(root: String) throws {
        for file in try SourceTree.swiftFiles(below: root) {
            #expect(Tidiness.bannedFolders.isDisjoint(with: file.folders), "\(file.path)")
        }
    }

    @Test("No file uses Foundation's Process, which crashes if many descriptors are open", arguments: ["Sources", "Tests"])
    func foundationProcessIsUnused(root: String) throws {
        for file in try SourceTree.swiftFiles(below: root) where file.text.contains("Process") {
            #expect(!SourceTokens.of(file.text).contains("Process"), "\(file.path): use ChildProcess")
        }
    }

    @Test("The name of every error type of Sources ends in Error, or is Refusal or Problem")
    func errorsHaveOneFamilyName() throws {
        let declaration = #/\b(?:struct|enum|class) (\w+)(?:<[^>]*>)?: (?:@?[\w.]+, )*Error\b/#
        var found = 0
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for match in file.text.matches(of: declaration) {
                found += 1
                let name = match.output.1
                #expect(name.hasSuffix("Error") || ["Refusal", "Problem"].contains(name), "\(file.path): \(name)")
            }
        }
        try #require(found > 40)
    }

    /// Phrases that make readers stop, and that plain words replace.
    static let slowPhrases = [
        "whoever", "comes to", "goes on", "any more", "at the most", "so long as", "as often as", "what is none",
    ]

    @Test("Sources and documents have none of the slow phrases", arguments: slowPhrases)
    func textIsPlain(phrase: String) throws {
        let files = try SourceTree.files(below: "Sources", ending: ".swift") + SourceTree.files(below: "Docs", ending: ".md")
        try #require(files.count > 100)
        let pattern = try Regex("\\b\(phrase)\\b").ignoresCase()
        for file in files where file.text.contains(pattern) {
            for (index, line) in file.lines.enumerated() {
                // The names of decision files stay as they are.
                let text = line.replacing(#/\]\([^)]*\)/#, with: "]")
                #expect(!text.contains(pattern), "\(file.path):\(index + 1) says `\(phrase)`")
            }
        }
    }

    static let planted: [(path: String, text: String)] = [
        ("Sources/Core/Events/A.swift", String(repeating: "\n", count: 401)),
        ("Sources/Core/Events/A.swift", "\tlet a = 1\n"),
        ("Sources/Core/Events/A.swift", "// " + String(repeating: "x", count: 138) + "\n"),
        ("Sources/Core/Events/A.swift", "// TO" + "DO: later\n"),
        ("Sources/Core/Events/A.swift", "/* FIX" + "ME */\n"),
        ("Sources/Core/Events/A.swift", "let a = 1"),
        ("Sources/Core/Events/Helpers/A.swift", "let a = 1\n"),
        ("Sources/Core/Projections/A.swift", "let a = unsafe f()\n"),
    ]

    @Test("A planted violation is found", arguments: planted)
    func plantedFaultIsFound(path: String, text: String) {
        #expect(Tidiness.faults(SourceTree.File(path: path, text: text)).count == 1)
    }

    static let innocent: [(path: String, text: String)] = [
        ("Sources/Core/Events/A.swift", String(repeating: "\n", count: 400)),
        ("Sources/Core/Events/A.swift", "// " + String(repeating: "x", count: 137) + "\n"),
        ("Sources/Core/LMDB/A.swift", "let a = unsafe f()\n"),
        ("Sources/Core/Events/A.swift", "// nothing unsafe here\nlet unsafeName = \"unsafe\"\n"),
    ]

    @Test("A file that follows the rules passes", arguments: innocent)
    func innocentFilePasses(path: String, text: String) {
        #expect(Tidiness.faults(SourceTree.File(path: path, text: text)).isEmpty)
    }
}
