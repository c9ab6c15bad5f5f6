import Foundation

/// The source files of this package.
enum SourceTree {
    struct File {
        /// The path from the package folder, such as `Sources/Core/Primitives/Values/Limits.swift`.
        let path: String
        let text: String

        /// The target of a file in `Sources/PART/TARGET`.
        var target: String { String(path.split(separator: "/")[2]) }
        var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    /// The folder that contains `Package.swift`, three levels above this file.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns every Swift file below a folder of the package, sorted by path.
    static func swiftFiles(below folder: String) throws -> [File] { try files(below: folder, ending: ".swift") }

    /// Every file below a folder of the package whose name ends with a suffix, sorted by path.
    static func files(below folder: String, ending suffix: String) throws -> [File] {
        let root = package.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return try paths.filter { $0.hasSuffix(suffix) }.sorted().map { path in
            File(path: folder + "/" + path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    /// Returns the names of the folders directly in a folder of the package.
    static func folders(in folder: String) throws -> [String] {
        let root = package.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent).sorted()
    }
}
