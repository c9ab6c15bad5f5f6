/// A change of a permission history. Every measured store is loaded from these changes.
///
/// Names are `class:id`: `user:ann`, `role:editors`, `folder:7`. Levels are nested and are given as a rank: rank 2 includes rank 1.
enum Operation: Hashable, Sendable {
    case createObject(String, parent: String?)
    /// Deletes the object, everything below it, and every entry on these objects.
    case deleteObject(String)
    case createRole(String)
    /// Deletes the role, its memberships in both directions, and its entries.
    case deleteRole(String)
    case addMember(String, role: String)
    case removeMember(String, role: String)
    /// Replaces the subject's entry on the object with this rank.
    case grant(subject: String, object: String, rank: Int)
    case revoke(subject: String, object: String)
}

/// Does the subject have at least this rank on the object?
struct Question: Hashable, Sendable {
    var subject: String
    var object: String
    var rank: Int
}
