/// The tables, the indexes and the query of the SQLite baseline.
enum SQLiteSchema {
    /// The rows that a check reads.
    enum Moment {
        /// Rows that are still valid.
        case present
        /// Rows that were valid at the revision in parameter 4.
        case past
    }

    static let tables = """
        CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE objects (
            id INT NOT NULL, parent INT, from_rev INT NOT NULL, to_rev INT NOT NULL, PRIMARY KEY (id, from_rev)) WITHOUT ROWID;
        CREATE TABLE memberships (
            member INT NOT NULL, role INT NOT NULL, from_rev INT NOT NULL, to_rev INT NOT NULL,
            PRIMARY KEY (member, role, from_rev)) WITHOUT ROWID;
        CREATE TABLE grants (
            object INT NOT NULL, subject INT NOT NULL, rank INT NOT NULL, from_rev INT NOT NULL, to_rev INT NOT NULL,
            PRIMARY KEY (object, subject, from_rev)) WITHOUT ROWID;
        """

    private static let definitions = [
        "objects_now": "objects (id, parent, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "objects_past": "objects (id, to_rev, from_rev, parent)",
        "objects_children": "objects (parent, id, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "memberships_now": "memberships (member, role, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "memberships_past": "memberships (member, to_rev, from_rev, role)",
        "memberships_of_role": "memberships (role, member, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "grants_now": "grants (object, rank, subject, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "grants_past": "grants (object, to_rev, from_rev, rank, subject)",
        "grants_of_subject": "grants (subject, object, to_rev) WHERE to_rev = \(SQLiteBaseline.open)",
        "names_by_name": "names (name)",
    ]

    static var indexes: String {
        definitions.map { "CREATE INDEX IF NOT EXISTS \($0.key) ON \($0.value);" }.sorted().joined(separator: "\n")
    }
    static var dropIndexes: String { definitions.keys.sorted().map { "DROP INDEX \($0);" }.joined(separator: "\n") }

    /// Returns one row if the subject (1) has at least the rank (3) on the object (2), and no row otherwise.
    ///
    /// `CROSS JOIN` keeps the order of the tables as written.
    static func check(_ moment: Moment) -> String {
        let index = moment == .present ? "now" : "past"
        func holds(_ table: String) -> String {
            switch moment {
            case .present: "\(table).to_rev = \(SQLiteBaseline.open)"
            case .past: "\(table).to_rev > ?4 AND \(table).from_rev <= ?4"
            }
        }
        return """
            WITH RECURSIVE
            above(object) AS (
                SELECT ?2
                UNION ALL
                SELECT o.parent FROM above CROSS JOIN objects o INDEXED BY objects_\(index)
                WHERE o.id = above.object AND \(holds("o")) AND o.parent IS NOT NULL),
            subjects(subject) AS (
                SELECT ?1
                UNION ALL
                SELECT m.role FROM subjects CROSS JOIN memberships m INDEXED BY memberships_\(index)
                WHERE m.member = subjects.subject AND \(holds("m")))
            SELECT 1 FROM subjects WHERE subject IN (
                SELECT g.subject FROM above CROSS JOIN grants g INDEXED BY grants_\(index)
                WHERE g.object = above.object AND g.rank >= ?3 AND \(holds("g")))
            LIMIT 1
            """
    }
}
