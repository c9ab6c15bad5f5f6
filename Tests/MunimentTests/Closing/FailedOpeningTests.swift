import Events
import Files
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("A store that cannot be opened") struct FailedOpeningTests {
    @Test("Failed attempts to open a store leave none of its files open, after any number of attempts")
    func files() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"))
            try fixture.whileClosed {
                // The mark for an index in use cannot be written.
                let obstacle = fixture.path + "/index/boot.new"
                try makeFolder(obstacle)
                for _ in 1...20 { #expect(throws: FileError.self) { try Store.open(at: fixture.path, .writing) } }
                #expect(try openFiles(in: fixture.path) == [])
                try FileManager.default.removeItem(atPath: obstacle)
            }
        }
    }

    /// Returns the files in a folder that this process has open, each once per descriptor.
    private func openFiles(in folder: String) throws -> [String] {
        let folder = canonicalPath(folder)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            // Other tests open and close files at the same time.
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            return path.flatMap { $0.hasPrefix(folder + "/") ? $0 : nil }
        }
    }
}
