import Foundation

/// The source files of this package.
enum SourceTree {
    struct File {
        /// From the package's folder, such as `Sources/Core/Primitives/Values/Limits.swift`.
        let path: String
        let text: String

        /// The target whose folder the file is in, for a file of `Sources/PART/TARGET`.
        var target: String { String(path.split(separator: "/")[2]) }
        var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    /// The folder with `Package.swift` in it, three above this file.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file below a folder of the package, sorted by path.
    static func swiftFiles(below folder: String) throws -> [File] {
        let root = package.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            File(path: folder + "/" + path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    /// The names of the folders directly in a folder of the package.
    static func folders(in folder: String) throws -> [String] {
        let root = package.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent).sorted()
    }
}
