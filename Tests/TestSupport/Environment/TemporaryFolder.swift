// The compiler selects between the two forms by whether the body is asynchronous, as everywhere in the library.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

import Foundation

/// Creates a separate folder for a test, and removes it with its content afterwards.
///
/// - Parameter isOnDisk: whether it is on a disk, for tests that kill processes while they write. Others may be in memory.
public func withTemporaryFolder<R>(onDisk isOnDisk: Bool = false, _ body: (String) throws -> R) throws -> R {
    let folder = try makeTemporaryFolder(isOnDisk)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

/// Does the same for asynchronous work.
public func withTemporaryFolder<R>(onDisk isOnDisk: Bool = false, _ body: (String) async throws -> R) async throws -> R {
    let folder = try makeTemporaryFolder(isOnDisk)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

private func makeTemporaryFolder(_ isOnDisk: Bool) throws -> String {
    let parent = isOnDisk ? URL(filePath: TestSettings.disk, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    let folder = parent.appending(path: "muniment-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path(percentEncoded: false)
}
