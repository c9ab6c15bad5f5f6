import Events
import Foundation
import Importers
import Muniment
import TestSupport

/// Files of another system, and a store beside them.
struct SourceFiles {
    let folder: String
    let clock = ManualClock()
    var storePath: String { folder + "/store" }
    private var options: StoreOptions { StoreOptions(clock: { [clock] in clock.now }, expiryRecording: .withCommits) }

    static func inFreshFolder(_ body: (SourceFiles) throws -> Void) throws {
        try withTemporaryFolder { (folder) throws in try body(SourceFiles(folder: folder)) }
    }

    func facts(_ texts: [String: String], _ format: SourceFormat, mapping: String? = nil) throws -> SourceFacts {
        var files: [String] = []
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            files.append(folder + "/" + name)
            try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
        }
        guard let mapping else { return try format.facts(in: files) }
        try Data(mapping.utf8).write(to: URL(filePath: folder + "/mapping.json"))
        return try format.facts(in: files, try ImportMapping(file: folder + "/mapping.json"))
    }

    func facts(_ text: String, _ format: SourceFormat, mapping: String? = nil) throws -> SourceFacts {
        try facts(["source": text], format, mapping: mapping)
    }

    func importer(_ source: String = "source") -> SourceImporter {
        SourceImporter(into: storePath, source: source, as: "user:root", options: options)
    }

    @discardableResult
    func load(_ facts: SourceFacts, source: String = "source") throws -> ImportPlan { try importer(source).run(facts).plan }

    /// The places and reasons of unmapped lines, without the folder.
    func reasons(_ facts: SourceFacts) -> [String] { facts.unmapped.map { $0.description.replacing(folder + "/", with: "") } }

    func withStore<R>(_ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: storePath, .writing, options: options)
        let result = Result { try body(store) }
        try store.close()
        return try result.get()
    }

    func may(_ subject: Name, _ privilege: String, _ object: Name, at time: String? = nil) throws -> Bool {
        let moment = try time.map { Moment.time(try Instant($0)) } ?? .now
        return try withStore { try $0.read(at: moment) { try $0.check(subject, [privilege], on: object).isAllowed } }
    }

    func differences(_ facts: SourceFacts) throws -> [String] {
        try withStore { try $0.read { try SourceComparison(facts, with: $0).differences.map(\.description) } }
    }
}
