/// The statements that write a history into the SQLite baseline.
///
/// A row that ends is kept, with the revision of its end. A row that begins and ends in one revision has an empty span. No query finds
/// it, and the next row that begins in that revision replaces it.
struct SQLiteWriter {
    private let nameRow: SQLiteStatement
    private let objectRow: SQLiteStatement
    private let endObject: SQLiteStatement
    private let endObjectGrants: SQLiteStatement
    private let children: SQLiteStatement
    private let memberRow: SQLiteStatement
    private let endMember: SQLiteStatement
    private let endRoleMembers: SQLiteStatement
    private let endRoleMemberships: SQLiteStatement
    private let grantRow: SQLiteStatement
    private let endGrant: SQLiteStatement
    private let endSubjectGrants: SQLiteStatement

    init(_ database: SQLiteDatabase) throws(SQLiteFault) {
        let open = SQLiteBaseline.open
        nameRow = try database.prepare("INSERT INTO names VALUES (?1, ?2)")
        objectRow = try database.prepare(
            "INSERT OR REPLACE INTO objects (id, parent, from_rev, to_rev) VALUES (?1, ?2, ?3, \(open))")
        endObject = try database.prepare("UPDATE objects SET to_rev = ?1 WHERE id = ?2 AND to_rev = \(open)")
        endObjectGrants = try database.prepare("UPDATE grants SET to_rev = ?1 WHERE object = ?2 AND to_rev = \(open)")
        children = try database.prepare("SELECT id FROM objects WHERE parent = ?1 AND to_rev = \(open)")
        memberRow = try database.prepare(
            "INSERT OR REPLACE INTO memberships (member, role, from_rev, to_rev) VALUES (?1, ?2, ?3, \(open))")
        endMember = try database.prepare(
            "UPDATE memberships NOT INDEXED SET to_rev = ?1 WHERE member = ?2 AND role = ?3 AND to_rev = \(open)")
        endRoleMembers = try database.prepare("UPDATE memberships SET to_rev = ?1 WHERE role = ?2 AND to_rev = \(open)")
        endRoleMemberships = try database.prepare("UPDATE memberships SET to_rev = ?1 WHERE member = ?2 AND to_rev = \(open)")
        grantRow = try database.prepare(
            "INSERT OR REPLACE INTO grants (subject, object, rank, from_rev, to_rev) VALUES (?1, ?2, ?3, ?4, \(open))")
        endGrant = try database.prepare(
            "UPDATE grants NOT INDEXED SET to_rev = ?1 WHERE subject = ?2 AND object = ?3 AND to_rev = \(open)")
        endSubjectGrants = try database.prepare("UPDATE grants SET to_rev = ?1 WHERE subject = ?2 AND to_rev = \(open)")
    }

    func name(_ number: Int64, _ name: String) throws(SQLiteFault) {
        nameRow.bind(1, number)
        nameRow.bind(2, name)
        try nameRow.run()
    }

    func createObject(_ object: Int64, parent: Int64?, _ revision: Int64) throws(SQLiteFault) {
        objectRow.bind(1, object)
        objectRow.bind(2, parent)
        objectRow.bind(3, revision)
        try objectRow.run()
    }

    func deleteObject(_ object: Int64, _ revision: Int64) throws(SQLiteFault) {
        children.bind(1, object)
        for child in try children.numbers() { try deleteObject(child, revision) }
        try end(endObject, revision, object)
        try end(endObjectGrants, revision, object)
    }

    func deleteRole(_ role: Int64, _ revision: Int64) throws(SQLiteFault) {
        try end(endRoleMembers, revision, role)
        try end(endRoleMemberships, revision, role)
        try end(endSubjectGrants, revision, role)
    }

    /// Adding an existing member changes nothing.
    func addMember(_ member: Int64, role: Int64, _ revision: Int64) throws(SQLiteFault) {
        try removeMember(member, role: role, revision)
        memberRow.bind(1, member)
        memberRow.bind(2, role)
        memberRow.bind(3, revision)
        try memberRow.run()
    }

    func removeMember(_ member: Int64, role: Int64, _ revision: Int64) throws(SQLiteFault) {
        endMember.bind(3, role)
        try end(endMember, revision, member)
    }

    func grant(_ subject: Int64, object: Int64, rank: Int64, _ revision: Int64) throws(SQLiteFault) {
        try revoke(subject, object: object, revision)
        grantRow.bind(1, subject)
        grantRow.bind(2, object)
        grantRow.bind(3, rank)
        grantRow.bind(4, revision)
        try grantRow.run()
    }

    func revoke(_ subject: Int64, object: Int64, _ revision: Int64) throws(SQLiteFault) {
        endGrant.bind(3, object)
        try end(endGrant, revision, subject)
    }

    /// All statements that end rows take the revision first, and the row's subject or object second.
    private func end(_ statement: SQLiteStatement, _ revision: Int64, _ what: Int64) throws(SQLiteFault) {
        statement.bind(1, revision)
        statement.bind(2, what)
        try statement.run()
    }
}
