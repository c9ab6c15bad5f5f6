import Events
import Foundation
import TestSupport
import Testing

/// Adds a kind of event to a copy of the catalogue, and lets the compiler find the places that must know it.
@Suite("CONTRIBUTING names every place that a new kind of event needs")
struct AddedKindTests {
    private static let catalogue = "Sources/Core/Events/Catalogue/Event.swift"

    /// The new kind of event: its case and its number in the catalogue, and its struct.
    private static func catalogueWithNewKind() throws -> String {
        let number = (Event.Kind.allCases.map(\.rawValue).max() ?? 0) + 1
        let text = try SourceFiles.text(of: catalogue)
            .replacing(#/ +case clockCorrected\n/#) { $0.output + "    case objectArchived(ObjectArchived)\n" }
            .replacing(#/ +case clockCorrected = \d+\n/#) { $0.output + "        case objectArchived = \(number)\n" }
        try #require(text.matches(of: #/case objectArchived/#).count == 2)
        return text + """
            public struct ObjectArchived: Hashable, Sendable {
                public var object: ObjectID
                public init(object: ObjectID) { self.object = object }
            }

            """
    }

    /// For each file, the lines to insert before the cases of the last kind, in order.
    private static let insertions: [String: [String]] = [
        "Sources/Core/Events/Catalogue/EventEffect.swift": ["case .objectArchived(let event): .written(event.object)"],
        "Sources/Core/Events/Codec/EventCodec.swift": [
            "case .objectArchived(let event): writer.id(event.object)",
            "case .objectArchived: .objectArchived(ObjectArchived(object: try reader.id(bytes)))",
            "case .objectArchived: .objectArchived",
        ],
        "Sources/Core/Projections/Folding/WorkingSet+Fold.swift": [
            "case .objectArchived(let event): try changeObject(event.object) { $0.lastChange = revision }"
        ],
        "Sources/Core/Muniment/EventDescriptions/EventDescription.swift": [
            "case .objectArchived(let event): try content(\"object\", name(event.object), \"was archived\")"
        ],
        "Sources/Formats/Histories/Export/ExportedChanges.swift": ["case .objectArchived: nil"],
        "Tests/TestSupport/Naive/NaiveFold.swift": ["case .objectArchived: break"],
        "Tests/TestSupport/Witnesses/LogEffects.swift": ["case .objectArchived: break"],
        "Tests/EventsTests/RandomEvents.swift": ["case .objectArchived: .objectArchived(ObjectArchived(object: id()))"],
    ]

    @Test("The compiler names exactly the files of the table, and accepts a case in each of them")
    func compilerNamesEveryFile() throws {
        try withTemporaryFolder { folder in
            var trial = try TrialCompilation(in: folder)
            try trial.replace(Self.catalogue, with: Self.catalogueWithNewKind())
            try trial.emitModules()
            var faults = try trial.check()
            #expect(faults.filter { $0.message != "switch must be exhaustive" } == [])
            #expect(Set(faults.map(\.file)) == (try Self.filesInTable()))

            for (file, lines) in Self.insertions { try trial.replace(file, with: Self.inserting(lines, in: file)) }
            faults = try trial.check()
            #expect(faults == [])
        }
    }

    @Test("Every file with a case for each kind of event is among those that the compiler checks")
    func everyFileIsChecked() throws {
        let checked = TrialCompilation.targets.map { $0.folder + "/" }
        let files = try ["Sources", "Tests", "Tools"].flatMap(SourceFiles.below).filter { file in
            try SourceFiles.text(of: file).contains(SourceFiles.lastCase)
        }
        try #require(files.count >= Self.insertions.count)
        for file in files { #expect(checked.contains { file.hasPrefix($0) }, "\(file)") }
    }

    /// Returns the files in the table of the section.
    private static func filesInTable() throws -> Set<String> {
        let text = try SourceFiles.text(of: "CONTRIBUTING.md")
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Add a kind of event") })
        return Set(section.matches(of: #/\n *\| `([^`]+)`/#).map { String($0.output.1) })
    }

    /// Returns the text of a file with each line before the next case of the last kind.
    private static func inserting(_ lines: [String], in file: String) throws -> String {
        var rest = lines[...]
        let text = try SourceFiles.text(of: file).replacing(SourceFiles.lastCase) { match in
            rest.popFirst().map { "\n" + $0 + match.output } ?? String(match.output)
        }
        try #require(rest.isEmpty, "\(file)")
        return text
    }
}

/// Type-checks targets of this package with some files replaced. It writes only to its own folder.
private struct TrialCompilation {
    struct Fault: Hashable {
        let file: String
        let message: String
    }

    /// The targets with code for each kind of event, and those that they import, in the order of their imports.
    static let targets: [(name: String, folder: String)] = [
        ("Primitives", "Sources/Core/Primitives"), ("Events", "Sources/Core/Events"), ("Permissions", "Sources/Core/Permissions"),
        ("LMDB", "Sources/Core/LMDB"), ("Hashing", "Sources/Core/Hashing"), ("Files", "Sources/Core/Files"),
        ("Notices", "Sources/Core/Notices"), ("EventLog", "Sources/Core/EventLog"), ("Projections", "Sources/Core/Projections"),
        ("Muniment", "Sources/Core/Muniment"), ("Histories", "Sources/Formats/Histories"),
        ("RandomHistories", "Sources/Testing/RandomHistories"), ("TestSupport", "Tests/TestSupport"),
        ("EventsTests", "Tests/EventsTests"),
    ]

    private let folder: String
    private let settings: [String]
    /// The files that are used instead of others.
    private var replaced: [String: String] = [:]

    init(in folder: String) throws {
        self.folder = folder
        let information = try ChildProcess(["swiftc", "-print-target-info"]).finish().output
        let resources = try #require(information.firstMatch(of: #/"runtimeResourcePath": "([^"]+)"/#)).output.1
        var settings = [
            "-swift-version", "6", "-package-name", "muniment", "-parse-as-library", "-enable-testing", "-diagnostic-style", "llvm",
            "-I", folder,
            "-plugin-path", resources + "/host/plugins",
        ]
        for feature in ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"] {
            settings += ["-enable-upcoming-feature", feature]
        }
        var maps = ["CLMDB", "CCrypto"].map { "Sources/Core/\($0)/module.modulemap" }
        for (name, headers) in [("CTimex", "Sources/Core/CTimex/include"), ("ChildSpawn", "Tests/ChildSpawn/include")] {
            maps.append("\(folder)/\(name).modulemap")
            try "module \(name) { umbrella \"\(SourceFiles.package)/\(headers)\" export * }".write(
                toFile: "\(folder)/\(name).modulemap", atomically: false, encoding: .utf8)
        }
        self.settings = settings + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    mutating func replace(_ file: String, with text: String) throws {
        let replacement = folder + "/" + file.replacing("/", with: "_")
        try text.write(toFile: replacement, atomically: false, encoding: .utf8)
        replaced[file] = replacement
    }

    /// Writes the modules without their function bodies. Errors in these bodies cannot spread to other targets.
    func emitModules() throws {
        for (name, folder) in Self.targets {
            let files = try SourceFiles.below(folder).map { replaced[$0] ?? $0 }
            let module = ["-emit-module", "-emit-module-path", "\(self.folder)/\(name).swiftmodule"]
            let faults = try compile(name, module + ["-experimental-skip-all-function-bodies"] + files)
            #expect(faults == [], "\(name)")
        }
    }

    /// Returns the errors in the files with code for the last kind of event.
    func check() throws -> [Fault] {
        try Self.targets.flatMap { name, folder in
            let files = try SourceFiles.below(folder)
            let checked = try files.filter { try SourceFiles.text(of: $0).contains(SourceFiles.lastCase) }
            guard !checked.isEmpty else { return [Fault]() }
            let arguments = files.flatMap { (checked.contains($0) ? ["-primary-file"] : []) + [replaced[$0] ?? $0] }
            return try compile(name, ["-typecheck"] + arguments)
        }
    }

    private func compile(_ module: String, _ arguments: [String]) throws -> [Fault] {
        let command = ["swiftc", "-frontend", "-module-name", module] + settings + arguments
        let result = try ChildProcess(command, in: SourceFiles.package).finish()
        let original = Dictionary(uniqueKeysWithValues: replaced.map { ($1, $0) })
        let faults = result.errors.matches(of: #/(?m)^(.+?):\d+:\d+: error: (.+)$/#).map { match in
            let file = String(match.output.1)
            return Fault(file: original[file] ?? file, message: String(match.output.2))
        }
        try #require(!faults.isEmpty || result.exitCode == 0, "\(module): \(result.errors.prefix(2000))")
        return faults
    }
}

/// The files of this package, by their paths in it.
private enum SourceFiles {
    /// The folder that contains `Package.swift`.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The beginning of a case for the last kind of event. A switch that names every kind has one.
    static var lastCase: Regex<Substring> { #/\n +case [^=\n]*\.clockCorrected/# }

    static func below(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: package + "/" + folder).filter { $0.hasSuffix(".swift") }.sorted()
            .map { folder + "/" + $0 }
    }

    static func text(of file: String) throws -> String { try String(contentsOfFile: package + "/" + file, encoding: .utf8) }
}
