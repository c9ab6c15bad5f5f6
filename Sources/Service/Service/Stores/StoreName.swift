internal import Credentials

/// The name of a store in a data directory, which is the name of its folder.
public struct StoreName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    /// The store that the root paths serve.
    public static let `default` = StoreName(unchecked: "default")
    private init(unchecked text: String) { self.text = text }

    /// Creates a name that is valid for ``Credentials/StoreScope/isStoreName(_:)``; nil for any other text.
    public init?(_ text: String) {
        guard StoreScope.isStoreName(text) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: StoreName, right: StoreName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
