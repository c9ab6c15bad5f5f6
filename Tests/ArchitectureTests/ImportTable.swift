/// The permitted imports of each target: DESIGN section 5. Imports go in one direction, from top to bottom.
enum ImportTable {
    /// The modules that the files of each target may import. A target that is not listed must not exist.
    static let allowed: [String: Set<String>] = [
        "LMDB": ["CLMDB", "Glibc", "Synchronization"],
        "Hashing": ["CCrypto"],
        "Files": ["CTimex", "Glibc", "Foundation", "Synchronization"],
        "Primitives": [],
        "Events": ["Primitives"],
        "Permissions": ["Primitives", "Events"],
        "Notices": ["Events", "Permissions"],
        "EventLog": ["Events", "Hashing", "LMDB", "Files", "Foundation", "Synchronization", "Dispatch"],
        "Projections": ["Events", "Permissions", "LMDB", "Hashing", "Synchronization", "Dispatch"],
        "Muniment": [
            "Events", "Permissions", "Notices", "EventLog", "Projections", "LMDB", "Files", "Hashing", "Foundation", "Dispatch",
            "Synchronization",
        ],
        "Histories": ["Events", "Permissions", "Notices", "Muniment", "Foundation", "Synchronization", "Dispatch"],
        "Importers": ["Events", "Permissions", "Muniment", "Histories", "SQLite", "Foundation"],
        "MunimentRecipes": [
            "Events", "Permissions", "Notices", "Muniment", "Projections", "Files", "Foundation", "Synchronization",
        ],
        "Wire": ["Events", "Permissions", "Notices", "Muniment"],
        "Secrets": ["CSodium"],
        "Work": ["Primitives", "Foundation", "Synchronization", "Dispatch"],
        "HTTPServer": ["CMicroHTTPD", "Glibc", "Dispatch", "Synchronization"],
        "NetworkClient": ["CCurl", "Glibc", "Primitives", "Secrets"],
        "Identity": [
            "Primitives", "Hashing", "Secrets", "Files", "LMDB", "EventLog", "Work", "Synchronization", "Dispatch", "Foundation",
            "Glibc",
        ],
        "OpenIDConnect": ["Primitives", "Hashing", "Secrets", "Identity", "NetworkClient", "Credentials", "Synchronization"],
        "Mail": ["Primitives", "Files", "Identity", "NetworkClient", "Secrets", "Synchronization"],
        "MunimentClient": [
            "Primitives", "MunimentReplica", "Foundation", "FoundationNetworking", "Observation", "Security", "Synchronization",
            "Transfers",
        ],
        "Transfers": ["CCurl", "Foundation", "Synchronization"],
        "SQLite": ["CSQLite", "SQLite3"],
        "MunimentReplica": ["SQLite", "Primitives", "Foundation", "Synchronization"],
        "PostgreSQLLog": [
            "CPostgreSQL", "Primitives", "EventLog", "Events", "Hashing", "Dispatch", "Foundation", "Synchronization",
        ],
        "Credentials": [
            "Events", "EventLog", "Foundation", "Permissions", "Hashing", "Secrets", "Files", "NetworkClient", "Synchronization",
        ],
        "Console": ["Foundation"],
        "Service": [
            "Events", "Permissions", "Notices", "Muniment", "MunimentRecipes", "Histories", "Wire", "HTTPServer", "Credentials",
            "Console", "EventLog",
            "Identity", "Secrets", "Hashing", "Files", "Work", "Foundation", "Synchronization", "Dispatch",
        ],
        "CommandLineTool": [
            "CPager", "Events", "Permissions", "Notices", "Muniment", "MunimentRecipes", "Histories", "Importers", "Wire",
            "Credentials", "Files", "Hashing", "HTTPServer", "EventLog", "PostgreSQLLog",
            "Identity", "Mail", "OpenIDConnect", "NetworkClient", "Service", "Foundation", "Glibc", "Dispatch", "Synchronization",
        ],
        "RandomHistories": ["Events", "Permissions"],
        "MunimentTesting": [
            "Events", "Permissions", "Notices", "Muniment", "Histories", "RandomHistories", "Foundation", "Synchronization",
        ],
    ]

    /// The only targets that may import each C library.
    static let importersOfC: [String: Set<String>] = [
        "CLMDB": ["LMDB"], "CCrypto": ["Hashing"], "CSodium": ["Secrets"], "CMicroHTTPD": ["HTTPServer"],
        "CCurl": ["NetworkClient", "Transfers"], "CTimex": ["Files"], "CPager": ["CommandLineTool"], "CSQLite": ["SQLite"],
        "CPostgreSQL": ["PostgreSQLLog"],
    ]

    /// Returns the forbidden imports of a file in a target, as messages. Returns an empty array if the file follows the table.
    static func violations(target: String, text: String) -> [String] {
        guard let allowed = allowed[target] else { return ["target \(target) has no row in the table of imports"] }
        return importedModules(of: text).filter { !allowed.contains($0) }.map { "\(target) imports \($0)" }
    }

    /// Returns the modules that a source text imports, in order, in every form of the import declaration.
    static func importedModules(of text: String) -> [String] {
        let tokens = SourceTokens.of(text)
        var modules: [String] = []
        for (index, token) in tokens.enumerated() where token == "import" {
            // `.import`, `f(import: x)` and `f(x, import y: Int)` are names and labels.
            if index > 0, [".", "(", ","].contains(tokens[index - 1]) { continue }
            let kinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let"]
            let rest = tokens[(index + 1)...].filter { $0 != "\n" && $0 != "`" && !kinds.contains($0) }
            if let module = rest.first { modules.append(module.hasPrefix("`") ? String(module.dropFirst()) : module) }
        }
        return modules
    }
}
