import Foundation
import TestSupport

/// The scenario files of the repository.
enum ScenarioFiles {
    static func all() throws -> [String] {
        let folder = TestSettings.package + "/Tests/Scenarios"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }.sorted()
            .map { folder + "/" + $0 }
    }
}
