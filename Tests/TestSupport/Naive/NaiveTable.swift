import Events
public import Permissions

/// The access of every caller to every object.
extension NaiveView {
    /// Every user and thing, `everyone` and `anonymous`.
    public var everybody: [Name] { state.principals.map { state.names.name(of: $0) } + [.everyone, .anonymous] }

    /// The store, every class, role and permission, and every object of a defined class.
    public var everything: [Name] {
        let ids =
            state.classes.keys.map { ObjectID($0) } + state.roles.keys.map { ObjectID($0) }
            + state.permissions.keys.map { ObjectID($0) } + Array(state.objects.keys)
        return [.store] + ids.map { state.names.name(of: $0) }
    }

    /// Returns the privileges of each subject on each object, without empty ones.
    public func table(of subjects: Set<Name>, on objects: Set<Name>) -> [Name: [Name: [String]]] {
        var table: [Name: [Name: [String]]] = [:]
        for subject in subjects {
            for object in objects {
                let privileges = privileges(of: subject, on: object)
                if !privileges.isEmpty { table[subject, default: [:]][object] = privileges }
            }
        }
        return table
    }
}
