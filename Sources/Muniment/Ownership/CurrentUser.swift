internal import Files
internal import Foundation
public import Permissions

/// The user that an application acts as on this machine: made when it first runs, with an id that nobody else has, and the same
/// from then on (CONFORMANCE G2).
///
/// The id is a UUID such as `847d9117-cfaf-4c16-b45b-5781acfd1151`, one line in a file that the application names. Whoever removes
/// the file begins as somebody new. A user can stand for anything: a device, an account, a whole firm.
public struct CurrentUser: Hashable, Sendable {
    /// A UUID in small letters.
    public let id: String
    /// `user:` and the id.
    public var name: Name { Name("user:" + id) }

    private init(id: String) { self.id = id }

    /// The user that is kept in a file, who is made where there is no such file. Any number of processes and threads can run first
    /// at the same time: all come to be the same user.
    ///
    /// - Parameter path: the file; its folder is made where it is not there.
    /// - Throws: ``CurrentUserError``. A file that holds no id is left as it is: a new identity never takes its place by itself.
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

    /// Makes somebody else the user that is kept in a file, as by hand: the user of another device, or of an account.
    ///
    /// - Parameters:
    ///   - id: a UUID.
    ///   - path: the file, which is made or replaced, whatever it holds; its folder must be there.
    /// - Throws: ``CurrentUserError``.
    @discardableResult
    public static func change(to id: String, keptIn path: String) throws(CurrentUserError) -> CurrentUser {
        guard let canonical = CurrentUser.id(in: Array(id.utf8)) else { throw .notAnID(id) }
        do { try replaceFile(path, with: Array((canonical + "\n").utf8)) } catch {
            throw CurrentUserError.unavailable(path: path, why: "\(error)")
        }
        return CurrentUser(id: canonical)
    }

    /// A UUID that stands alone, but for spaces and ends of lines, as an editor may leave them; nil for anything else.
    private static func id(in bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines),
            text.utf8.count == 36, let uuid = UUID(uuidString: text)
        else { return nil }
        return uuid.uuidString.lowercased()
    }
}

/// Why it is not known who the current user is.
public enum CurrentUserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file holds no id.
    case damaged(path: String)
    /// What was to become the current user's id is none.
    case notAnID(String)
    /// The file cannot be read or written.
    case unavailable(path: String, why: String)

    public var description: String {
        switch self {
        case .damaged(let path):
            "`\(path)` does not hold the id of a user: put the id back, or remove the file to begin as a new user"
        case .notAnID(let text):
            "`\(text.prefix(80))` is no id of a user: give a UUID, as in 847d9117-cfaf-4c16-b45b-5781acfd1151"
        case .unavailable(let path, let why): "the current user, kept in `\(path)`, is not known: \(why)"
        }
    }
}
