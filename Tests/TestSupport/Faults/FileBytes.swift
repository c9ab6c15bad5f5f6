internal import Foundation

/// What faults are made of: files as bytes.
public enum FileBytes {
    public static func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    public static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    /// Changes one byte in place, by the bits of `mask`.
    public static func flip(_ path: String, at offset: Int, mask: UInt8) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { throw CocoaError(.fileReadUnknown) }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ mask]))
    }

    /// Copies a folder with everything in it over one that may be there.
    public static func copyFolder(_ from: String, to: String) throws {
        if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }
}
