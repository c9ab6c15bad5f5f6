internal import Foundation

/// Files as bytes, for tests that damage them.
public enum FileBytes {
    public static func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    public static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    /// Sets the permissions of a file to the bits of `mode`.
    public static func setMode(_ mode: UInt32, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path)
    }

    /// Changes one byte in place, by the bits of `mask`.
    public static func flip(_ path: String, at offset: Int, mask: UInt8) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { throw CocoaError(.fileReadUnknown) }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ mask]))
    }

    /// Every file in a folder and its subfolders: its relative path, and its content.
    public static func files(below folder: String) throws -> [(path: String, bytes: [UInt8])] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().compactMap { path in
            let whole = folder + "/" + path
            let type = try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType
            return type == .typeRegular ? (path, try read(whole)) : nil
        }
    }

    /// Whether a sequence of bytes contains another one as a contiguous part.
    public static func contains(_ text: String, in bytes: [UInt8]) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }

    /// Returns the digits of the marks such as `<17>` in some bytes. Tests give each value a mark of its own.
    public static func marks(_ bytes: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "<") {
                start = index + 1
            } else if byte == UInt8(ascii: ">"), let first = start, index > first {
                found.insert(String(decoding: bytes[first..<index], as: UTF8.self))
                start = nil
            } else if byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") {
                start = nil
            }
        }
        return found
    }

    /// Copies a folder with its content. Replaces an existing folder.
    public static func copyFolder(_ from: String, to: String) throws {
        if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }
}
