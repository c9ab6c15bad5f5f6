import Events
import Muniment
import Permissions

/// The header, which is the first line of a file.
struct Header: Sendable {
    /// The two kinds of file.
    enum Format: String, Hashable, Sendable, CaseIterable {
        case history = "permission-history/1"
        case scenario = "scenario/1"
    }

    var format: Format
    /// Named sets of privileges, the smallest first; nil if the file has none.
    var levels: [AccessLevel]?
    /// The preset of a new store; nil if the file does not set it.
    var preset: Preset?
    /// The administrator of a new store; nil if the file does not set it.
    var administrator: Name?
    var title: String?
    var note: String?

    /// The administrator of a new store.
    var administratorOrDefault: Name { administrator ?? "user:root" }
}

extension Header {
    init(_ value: JSONValue, _ context: LineContext) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(value)
        let format: Format? = try fields.choice("format", Format.allCases.map { ($0.rawValue, $0) })
        guard let format else { throw fields.wrong("format", "is missing", "start the file with its header") }
        self.format = format
        levels = try fields.optional("levels", Header.inOrder)
        preset = try fields.choice("store", [("open", Preset.open), ("locked", Preset.locked)])
        administrator = try fields.optionalName("administrator")
        title = try fields.optionalText("title")
        note = try fields.optionalText("note")
        try fields.finish()
    }

    /// Sorts levels by number of privileges, then by name: a level comes before those that contain it.
    private static func inOrder(_ value: JSONValue) throws(MemberProblem) -> [AccessLevel] {
        var levels: [AccessLevel] = []
        for (name, privileges) in try value.readMembers() {
            do { levels.append(AccessLevel(name: name, privileges: try privileges.readTexts())) } catch { throw error.inside(name) }
        }
        return levels.sorted { left, right in
            left.privileges.count != right.privileges.count
                ? left.privileges.count < right.privileges.count
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }
}
