internal import Files
internal import Foundation

/// Names for sets of privileges, which a history can bring along and questions can use.
extension Store {
    /// The levels kept with the store, the smallest first; nil where there are none.
    public var levels: [Level]? {
        get throws {
            guard fileExists(folder.levels) else { return nil }
            return try JSONDecoder().decode([Level].self, from: Data(readFile(folder.levels)))
        }
    }

    /// Keeps levels with the store.
    public func setLevels(_ levels: [Level]) throws {
        _ = try openWriter()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try replaceFile(folder.levels, with: Array(encoder.encode(levels)))
    }
}
