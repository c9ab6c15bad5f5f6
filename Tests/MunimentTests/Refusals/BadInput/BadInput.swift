import Events
import Permissions

/// A refused change and its error message: a row of the tables in this folder.
struct BadInput {
    let change: Change
    let code: Refusal.Code
    /// The text between backticks in the message: the invalid name, privilege or text.
    let quoted: String

    init(_ code: Refusal.Code, _ quoted: String, _ change: Change) {
        self.code = code
        self.quoted = quoted
        self.change = change
    }

    /// The change as JSON, as its refusal record contains it.
    var json: String {
        var writer = JSONWriter()
        change.write(into: &writer)
        return writer.text
    }

    /// A short text of the row, for a failure.
    var summary: String { "\(code.rawValue): \(json.prefix(160))" }
}

/// All tables, by the subject of their changes.
enum BadInputTable: String, CaseIterable {
    case classes, objects, entries, roles, principals, permissions, illFormedNames, wrongKinds

    var rows: [BadInput] {
        switch self {
        case .classes: BadInput.classes
        case .objects: BadInput.objects
        case .entries: BadInput.entries
        case .roles: BadInput.roles
        case .principals: BadInput.principals
        case .permissions: BadInput.permissions
        case .illFormedNames: BadInput.illFormedNames
        case .wrongKinds: BadInput.wrongKinds
        }
    }
}
