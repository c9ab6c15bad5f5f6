import Testing

/// Rules for the client, which must compile on every system that Swift has. It is not compiled on Apple's systems here, so that these
/// rules replace a compiler.
enum Portability {
    /// The targets that an application with the client is built from.
    static let targets: Set = ["MunimentClient", "MunimentReplica", "SQLite", "Primitives"]
    /// Modules of every system, and those of some systems, which only the folder `Platform` may import. `Observation` is a part of the
    /// toolchain, which the models for views need.
    static let everywhere: Set = ["Foundation", "Observation", "Synchronization"]
    static let platforms: Set = ["FoundationNetworking", "Security", "CSQLite", "SQLite3", "Transfers"]
    /// The only file that uses spans over texts, which Apple's systems have from version 26 on.
    static let spanFile = "Sources/Core/Primitives/Codec/UTF8Bytes.swift"

    static let absent: Set = [
        "Glibc", "Musl", "eventfd", "timerfd_create", "signalfd", "renameat2", "accept4", "pipe2", "fdatasync", "fallocate",
        "posix_fallocate", "getrandom", "splice", "prctl", "gettid", "O_TMPFILE", "O_DIRECT", "O_PATH", "MSG_NOSIGNAL",
        "SOCK_CLOEXEC", "SOCK_NONBLOCK", "replaceItemAt", "InlineArray",
    ]
    static let absentPrefixes = ["epoll_", "inotify_", "io_uring", "curl_", "CURL", "sodium_", "F_OFD_"]

    static func faults(_ file: SourceTree.File) -> [String] {
        let isPlatform = Tidiness.isPlatform(file.path)
        var faults: [String] = []
        for module in ImportTable.importedModules(of: file.text)
        where !targets.contains(module) && !everywhere.contains(module) && !(isPlatform && platforms.contains(module)) {
            faults.append("imports \(module)")
        }
        let tokens = SourceTokens.of(file.text)
        for token in tokens where absent.contains(token) || absentPrefixes.contains(where: token.hasPrefix) {
            faults.append("uses \(token)")
        }
        if file.path != spanFile, let token = tokens.first(where: { ["UTF8Span", "utf8Span"].contains($0) }) {
            faults.append("uses \(token), which only \(spanFile) may")
        }
        for (index, token) in tokens.enumerated() where token == "#" && tokens[(index + 1)...].first == "if" && !isPlatform {
            faults.append("has a condition for some systems, which only a folder `Platform` may")
        }
        if file.text.contains("/proc/") { faults.append("uses /proc") }
        return faults
    }
}

@Suite("Portability: the client uses only what every system of Swift has")
struct PortabilityTests {
    @Test("The client is built only from the targets of the list")
    func targetsAreListed() throws {
        var reached: Set<String> = []
        var ahead: Set = ["MunimentClient"]
        while let next = ahead.popFirst() {
            // Only on Linux, the package has it.
            if reached.insert(next).inserted, next != "Transfers" { ahead.formUnion(ImportTable.allowed[next] ?? []) }
        }
        #expect(reached == Portability.targets.union(Portability.everywhere).union(Portability.platforms))
    }

    @Test("No file of the client uses what Apple's systems lack")
    func filesArePortable() throws {
        let files = try SourceTree.swiftFiles(below: "Sources").filter { Portability.targets.contains($0.target) }
        try #require(files.count > 30)
        for file in files {
            let faults = Portability.faults(file)
            #expect(faults.isEmpty, "\(file.path) \(faults.joined(separator: "; "))")
        }
    }

    static let planted: [(path: String, text: String)] = [
        ("Sources/Client/MunimentClient/A.swift", "import Glibc"),
        ("Sources/Client/MunimentClient/A.swift", "import NetworkClient"),
        ("Sources/Client/MunimentClient/A.swift", "internal import FoundationNetworking"),
        ("Sources/Client/MunimentClient/A.swift", "let a = epoll_create1(0)"),
        ("Sources/Client/MunimentClient/A.swift", "let a = F_OFD_SETLK"),
        ("Sources/Client/MunimentClient/A.swift", "let a = \"/proc/self/fd\""),
        ("Sources/Client/MunimentClient/A.swift", "#if os(Linux)\n#endif"),
        ("Sources/Client/MunimentClient/Platform/A.swift", "import CCurl"),
        ("Sources/Core/Primitives/A.swift", "let a = text.utf8Span.span"),
    ]

    @Test("A planted use is found", arguments: planted)
    func plantedFaultIsFound(path: String, text: String) {
        #expect(!Portability.faults(SourceTree.File(path: path, text: text)).isEmpty)
    }

    @Test("Code for some systems is in the folder for it")
    func platformFolderHasConditions() {
        let text = "#if canImport(FoundationNetworking)\ninternal import FoundationNetworking\n#endif\nlet a = unsafe f()\n"
        let file = SourceTree.File(path: Tidiness.platformFolders[0] + "A.swift", text: text)
        #expect(Portability.faults(file).isEmpty && Tidiness.faults(file).isEmpty)
    }
}
