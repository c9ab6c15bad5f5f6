internal import Credentials
internal import Events
internal import Files
internal import Permissions
internal import Secrets
internal import Synchronization

/// The key of the page cursors of a service.
///
/// A service on one machine keeps 32 random bytes in its data directory. Nodes with a shared log derive the key from the hash of the
/// first token, which all of them have, so that a cursor works at every node.
final class CursorKey: Sendable {
    private let random: [UInt8]
    /// The tokens of a shared log; nil for a service on one machine.
    private let tokens: TokenRegistry?
    private let derived = Mutex<[UInt8]?>(nil)

    private static let byteCount = 32

    /// Reads the key of a data directory, or makes one.
    ///
    /// - Parameter folder: the service's own folder in the data directory.
    /// - Throws: `FileError` if the file cannot be read or made.
    init(in folder: String, sharedTokens tokens: TokenRegistry?) throws {
        self.tokens = tokens
        let path = folder + "/cursor-key"
        if let bytes = try readFileIfThere(path), bytes.count == CursorKey.byteCount {
            random = bytes
        } else {
            random = Secrets.randomBytes(CursorKey.byteCount)
            try replaceFile(path, with: random)
        }
    }

    fileprivate var bytes: [UInt8] {
        guard let tokens else { return random }
        return derived.withLock { derived in
            // Without a token yet, cursors are valid at this node only.
            if derived == nil { derived = (try? tokens.firstDigest()).map { MAC.sha256(Array("muniment cursors".utf8), key: $0) } }
            return derived ?? random
        }
    }
}

/// Seals the positions of a caller's pages with a message authentication code, which is bound to the caller and the route.
struct CursorSeal: Sendable {
    private let key: [UInt8]
    /// The caller, the route and the store.
    private let owner: [String]

    init(_ key: CursorKey, _ owner: [String]) { (self.key, self.owner) = (key.bytes, owner) }

    /// Returns 22 characters of base64url, and the position.
    func cursor(_ position: String) -> String { code(of: position) + position }

    /// Returns the position in a cursor; nil for a cursor that this seal did not make.
    func position(_ cursor: String) -> String? {
        let bytes = Array(cursor.utf8)
        guard bytes.count >= CursorSeal.codeCharacters else { return nil }
        let position = String(decoding: bytes.dropFirst(CursorSeal.codeCharacters), as: UTF8.self)
        guard Secrets.areEqual(Array(bytes.prefix(CursorSeal.codeCharacters)), Array(code(of: position).utf8)) else { return nil }
        return position
    }

    private static let codeBytes = 16
    private static let codeCharacters = 22

    private func code(of position: String) -> String {
        var writer = ByteWriter()
        for text in owner + [position] { writer.blob(Array(text.utf8)) }
        return Base64URL.encode(Array(MAC.sha256(writer.bytes, key: key).prefix(CursorSeal.codeBytes)))
    }
}

extension RequestContext {
    /// The seal of the page cursors in this response.
    var cursorSeal: CursorSeal {
        CursorSeal(service.cursorKey, [caller?.owner ?? "", route.name, hosted?.name.text ?? ""])
    }

    /// Returns the members of a page.
    ///
    /// - Parameter next: the position after the page; nil for the last page.
    func page(_ members: JSONObject, next: (some CustomStringConvertible)?) -> JSONObject {
        guard let next else { return members }
        return members.with(["next": .string(cursorSeal.cursor(next.description))])
    }
}
