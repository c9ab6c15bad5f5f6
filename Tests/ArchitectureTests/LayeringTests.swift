import Testing

@Suite("Layers: imports go in one direction, from top to bottom")
struct LayeringTests {
    @Test("No file imports a module that the table does not allow")
    func filesKeepToTheTable() throws {
        let files = try SourceTree.swiftFiles(below: "Sources")
        try #require(!files.isEmpty)
        for file in files {
            let violations = ImportTable.violations(target: file.target, text: file.text)
            #expect(violations.isEmpty, "\(file.path): \(violations.joined(separator: ", "))")
        }
    }

    @Test("Every product folder is a target in the table or a C library")
    func everyTargetHasARow() throws {
        let parts = try SourceTree.folders(in: "Sources")
        #expect(parts == ["Accounts", "Client", "Core", "Formats", "Recipes", "Service", "Testing", "Tool"])
        for part in parts {
            for folder in try SourceTree.folders(in: "Sources/\(part)") {
                #expect(ImportTable.allowed[folder] != nil || ImportTable.importersOfC[folder] != nil, "\(folder) has no row")
            }
        }
    }

    @Test("The core imports no other product part, and accounts and the client import no events")
    func partsAreSeparate() throws {
        let core = Set(try SourceTree.folders(in: "Sources/Core")).union(["Foundation", "Glibc", "Dispatch", "Synchronization"])
        for target in try SourceTree.folders(in: "Sources/Core") {
            #expect(ImportTable.allowed[target, default: []].isSubset(of: core), "\(target)")
        }
        for part in ["Accounts", "Client"] {
            for target in try SourceTree.folders(in: "Sources/\(part)") {
                #expect(
                    ImportTable.allowed[target, default: []].isDisjoint(with: ["Events", "Permissions", "Muniment"]), "\(target)")
            }
        }
    }

    @Test("Each C library has exactly the Swift importers of the table")
    func importersOfC() throws {
        var importers: [String: Set<String>] = [:]
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for module in ImportTable.importedModules(of: file.text) { importers[module, default: []].insert(file.target) }
        }
        for (library, importer) in ImportTable.importersOfC { #expect(importers[library] == importer, "\(library)") }
    }

    @Test("The table has no cycle: no target reaches itself through its permitted imports")
    func tableHasNoCycle() {
        for target in ImportTable.allowed.keys {
            var reached: Set<String> = []
            var ahead = ImportTable.allowed[target] ?? []
            while let next = ahead.popFirst() {
                if reached.insert(next).inserted { ahead.formUnion(ImportTable.allowed[next] ?? []) }
            }
            #expect(!reached.contains(target))
        }
    }
}

@Suite("Layers: the check finds every form of import")
struct PlantedImportTests {
    static let planted: [(text: String, modules: [String])] = [
        ("import LMDB", ["LMDB"]),
        ("public import LMDB", ["LMDB"]),
        ("package import LMDB\n", ["LMDB"]),
        ("@testable import EventLog", ["EventLog"]),
        ("@testable\nimport EventLog", ["EventLog"]),
        ("@_exported public import LMDB", ["LMDB"]),
        ("@_spi(Private) import LMDB", ["LMDB"]),
        ("@preconcurrency\n  private   import\tLMDB", ["LMDB"]),
        ("internal import struct X.Y", ["X"]),
        ("import func Glibc.fsync", ["Glibc"]),
        ("import class Foundation.FileManager", ["Foundation"]),
        ("import Foundation.NSObject", ["Foundation"]),
        ("#if os(Linux)\nimport Glibc\n#else\n  import Darwin\n#endif", ["Glibc", "Darwin"]),
        ("import Dispatch; import LMDB", ["Dispatch", "LMDB"]),
        ("let a = 1; import LMDB", ["LMDB"]),
        ("/* why */ import /* what */ LMDB // here", ["LMDB"]),
        ("import `LMDB`", ["LMDB"]),
        ("import\nLMDB", ["LMDB"]),
        ("let a = \"\\(\"quoted\")\"\nimport LMDB", ["LMDB"]),
        ("let a = #\"a \" b\"#\nimport LMDB", ["LMDB"]),
        ("let a = \"\"\"\n  \" one quote\n  \"\"\"\nimport LMDB", ["LMDB"]),
    ]

    @Test("A forbidden import is found and refused", arguments: planted)
    func plantedImportIsFound(text: String, modules: [String]) {
        #expect(ImportTable.importedModules(of: text) == modules)
        #expect(ImportTable.violations(target: "Events", text: text) == modules.map { "Events imports \($0)" })
    }

    static let innocent = [
        "// import LMDB",
        "/// import LMDB",
        "/* import LMDB /* nested */ import LMDB */",
        "let a = \"import LMDB\"",
        "let a = \"\"\"\n  import LMDB\n  \"\"\"",
        "let a = #\"\"\"\n  import LMDB \"\"\" import LMDB\n  \"\"\"#",
        "let a = \"a \\\" import LMDB\"",
        "let a = \"\\(names[\"import\"] ?? \"import LMDB\")\"",
        "case .import: run()",
        "func run(import file: String) {}",
        "func run(_ a: Int, import file: String) {}",
        "enum Command { case `import` }",
        "#if canImport(LMDB)\n#endif",
        "let importLMDB = 1, reimport = 2",
    ]

    @Test("Text that only looks like an import is ignored", arguments: innocent)
    func innocentTextPasses(text: String) {
        #expect(ImportTable.importedModules(of: text).isEmpty)
    }

    @Test("An import allowed for one target may be forbidden for another")
    func tableIsPerTarget() {
        #expect(ImportTable.violations(target: "LMDB", text: "import CLMDB").isEmpty)
        #expect(ImportTable.violations(target: "EventLog", text: "import CLMDB") == ["EventLog imports CLMDB"])
        #expect(ImportTable.violations(target: "EventLog", text: "public import Events\nimport LMDB").isEmpty)
        #expect(ImportTable.violations(target: "Permissions", text: "import Projections") == ["Permissions imports Projections"])
    }

    @Test("A target outside the table is refused, with any import")
    func unknownTarget() {
        #expect(!ImportTable.violations(target: "Helpers", text: "").isEmpty)
    }
}
