import Foundation

/// The Swift code of a guide in `Docs/Guides`, and the test source that it was compiled from, so that the two cannot drift.
public struct Guide {
    /// The Swift blocks of the guide, in order.
    public let blocks: [String]
    /// The parts of the source between `// Guide begins` and `// Guide ends`, in order.
    public let snippets: [String]

    /// Reads a guide and a source.
    ///
    /// - Parameters:
    ///   - name: the file's name in `Docs/Guides`.
    ///   - source: the path of the Swift file.
    public init(_ name: String, source: String) throws {
        let text = try String(contentsOfFile: TestSettings.package + "/Docs/Guides/" + name, encoding: .utf8)
        blocks = Guide.parts(of: text, from: "```swift\n", to: "```\n")
        snippets = Guide.parts(
            of: try String(contentsOfFile: source, encoding: .utf8), from: "// Guide begins\n", to: "// Guide ends\n")
    }

    private static func parts(of text: String, from begin: String, to end: String) -> [String] {
        text.components(separatedBy: begin).dropFirst().map { $0.components(separatedBy: end)[0] }
    }
}
