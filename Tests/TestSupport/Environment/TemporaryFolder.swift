// The compiler selects between the two forms by whether the body is asynchronous, as everywhere in the library.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

import Foundation

/// Creates a separate folder for a test, and removes it with its content afterwards.
public func withTemporaryFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

/// Does the same for asynchronous work.
public func withTemporaryFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

private func makeTemporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path(percentEncoded: false)
}
