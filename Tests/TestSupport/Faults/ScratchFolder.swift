internal import Foundation

/// A new folder on a disk, for tests of kills, faults and storage. It is removed together with this object.
public final class ScratchFolder: Sendable {
    public let path: String

    public init() throws {
        let base = URL(filePath: TestSettings.disk, directoryHint: .isDirectory).appending(path: "muniment-tests")
        let folder = base.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns a folder inside, and creates it if it is missing.
    public func folder(_ name: String) throws -> String {
        let inner = path + "/" + name
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        return inner
    }
}
