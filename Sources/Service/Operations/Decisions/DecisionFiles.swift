internal import Files
internal import Foundation

/// The files of a store's decision log: JSON Lines, a decision a line, each file called after the number of its first one.
struct DecisionFiles: Sendable {
    let folder: String

    /// Where the decisions of a store are kept.
    ///
    /// - Parameters:
    ///   - store: the store's name.
    ///   - dataDirectory: the folder that the stores of the service are in.
    init(of store: String, in dataDirectory: String) { folder = dataDirectory + "/.muniment/decisions/" + store }

    struct File: Hashable, Sendable {
        let path: String
        /// The number of the first decision in it.
        let first: UInt64
    }

    private static let ending = ".jsonl"
    /// So many digits that names sort as their numbers do.
    private static let digits = 20

    func file(from first: UInt64) -> File {
        let text = "\(first)"
        let name = String(repeating: "0", count: DecisionFiles.digits - text.count) + text + DecisionFiles.ending
        return File(path: folder + "/" + name, first: first)
    }

    /// The files that are there, the oldest first.
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
