/// One change of a permission history, in the form that every store under measurement is loaded from.
///
/// Names are `class:id`, as everywhere: `user:ann`, `role:editors`, `folder:7`. Levels are nested and stand as a rank: whoever
/// has rank 2 has rank 1 as well.
enum Operation: Hashable, Sendable {
    case createObject(String, parent: String?)
    /// The object goes, everything below it, and every entry on any of them.
    case deleteObject(String)
    case createRole(String)
    /// The role goes, its memberships in both directions, and its entries.
    case deleteRole(String)
    case addMember(String, role: String)
    case removeMember(String, role: String)
    /// The subject's whole entry on the object becomes this rank.
    case grant(subject: String, object: String, rank: Int)
    case revoke(subject: String, object: String)
}

/// Does the subject have at least this rank on the object?
struct Question: Hashable, Sendable {
    var subject: String
    var object: String
    var rank: Int
}
