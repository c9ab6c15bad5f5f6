internal import Foundation

/// A file of the console, which browsers load from the service. The build embeds the folder `Files`.
public struct ConsoleFile: Sendable {
    /// The name in the folder, such as `app.js`.
    public let name: String
    public let mediaType: String
    public let bytes: [UInt8]
    /// The bytes compressed with gzip.
    public let gzip: [UInt8]

    /// All files by name.
    public static let all: [String: ConsoleFile] = Dictionary(
        uniqueKeysWithValues: embeddedFiles.map { name, text, gzip in
            (
                name,
                ConsoleFile(
                    name: name, mediaType: mediaType(of: name), bytes: Array(text.utf8),
                    gzip: [UInt8](Data(base64Encoded: gzip) ?? Data()))
            )
        })

    private static func mediaType(of name: String) -> String {
        let types = [
            ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
            ".svg": "image/svg+xml", ".ts": "text/plain; charset=utf-8",
        ]
        return types.first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }
}
