internal import Files
internal import Foundation

/// The files of a store's decision log: JSON Lines with one decision per line. Each file is named after the number of its first
/// decision.
struct DecisionFiles: Sendable {
    let folder: String

    /// Creates a reference to the decision log of a store.
    ///
    /// - Parameters:
    ///   - store: the store's name.
    ///   - dataDirectory: the folder of the service's stores.
    init(of store: String, in dataDirectory: String) { folder = dataDirectory + "/.muniment/decisions/" + store }

    struct File: Hashable, Sendable {
        let path: String
        /// The number of the first decision in it.
        let first: UInt64
    }

    private static let ending = ".jsonl"
    /// The number of digits in a file name, so that names sort like their numbers.
    private static let digits = 20

    func file(from first: UInt64) -> File {
        let text = "\(first)"
        let name = String(repeating: "0", count: DecisionFiles.digits - text.count) + text + DecisionFiles.ending
        return File(path: folder + "/" + name, first: first)
    }

    /// Returns the existing files, the oldest first.
    func all() throws -> [File] {
        guard isFolder(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            guard name.hasSuffix(DecisionFiles.ending), let first = UInt64(name.dropLast(DecisionFiles.ending.count)) else {
                return nil
            }
            return file(from: first)
        }.sorted { $0.first < $1.first }
    }

    func bytes(of file: File) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }
}
