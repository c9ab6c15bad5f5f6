internal import Files
internal import Foundation
internal import Muniment
public import Permissions

/// The user that an application acts as on this machine. It is created on the first run with a unique id and stays the same
/// afterwards (CONFORMANCE G2).
///
/// The id is a UUID such as `847d9117-cfaf-4c16-b45b-5781acfd1151`, one line in a file that the application names. Removing the
/// file makes the application a new user. A user can represent anything: a device, an account, a company.
public struct CurrentUser: Hashable, Sendable {
    /// A UUID in lower case.
    public let id: String
    /// `user:` and the id.
    public var name: Name { Name("user:" + id) }

    private init(id: String) { self.id = id }

    /// Reads the user from a file. If the file is missing, creates a user and the file. If several processes or threads create the
    /// file at the same time, all of them get the same user.
    ///
    /// - Parameter path: the file; its folder is created if it does not exist.
    /// - Throws: ``CurrentUserError``. A file without an id is not changed: a new identity never replaces it automatically.
    public init(keptIn path: String) throws(CurrentUserError) {
        let fresh = UUID().uuidString.lowercased()
        let bytes: [UInt8]
        do {
            if try !Files.exists(path) {
                if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
                _ = try createFile(path, with: Array((fresh + "\n").utf8))
            }
            bytes = try readFile(path)
        } catch {
            throw CurrentUserError.unavailable(path: path, why: "\(error)")
        }
        guard let id = CurrentUser.id(in: bytes) else { throw .damaged(path: path) }
        self.init(id: id)
    }

    /// Sets the user of a file, for example to the user of another device or of an account.
    ///
    /// - Parameters:
    ///   - id: a UUID.
    ///   - path: the file, which is created or replaced; its folder must exist.
    /// - Throws: ``CurrentUserError``.
    @discardableResult
    public static func change(to id: String, keptIn path: String) throws(CurrentUserError) -> CurrentUser {
        guard let canonical = CurrentUser.id(in: Array(id.utf8)) else { throw .notAnID(id) }
        do { try replaceFile(path, with: Array((canonical + "\n").utf8)) } catch {
            throw CurrentUserError.unavailable(path: path, why: "\(error)")
        }
        return CurrentUser(id: canonical)
    }

    /// Returns the UUID in the file's text. Spaces and line ends around it, such as an editor adds, are ignored. Nil for any other
    /// text.
    private static func id(in bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines),
            text.utf8.count == 36, let uuid = UUID(uuidString: text)
        else { return nil }
        return uuid.uuidString.lowercased()
    }
}

/// Why the current user is unknown.
public enum CurrentUserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not contain an id.
    case damaged(path: String)
    /// The given id is invalid.
    case notAnID(String)
    /// The file cannot be read or written.
    case unavailable(path: String, why: String)

    public var description: String {
        switch self {
        case .damaged(let path):
            "`\(path)` does not contain a user id: restore the id, or remove the file to start as a new user"
        case .notAnID(let text):
            "`\(text.prefix(80))` is not a user id: write a UUID like 847d9117-cfaf-4c16-b45b-5781acfd1151"
        case .unavailable(let path, let why): "the current user in `\(path)` is unknown: \(why)"
        }
    }
}
