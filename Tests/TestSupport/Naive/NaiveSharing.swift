import Events
public import Permissions

/// The public and the shared objects, found by a check of every object (SCENARIOS, "Notices, exactly": P and H).
extension NaiveView {
    /// Returns the objects of a class that a signed-in caller without entries may read and query, or nil if this caller may not
    /// query the class.
    public func publicObjects(_ className: String, as caller: Name) -> [Name]? {
        guard mayQuery(className, caller) else { return nil }
        let access = access(of: .everyone)
        return namesOfObjects(ofClass: className) { access($0).isSuperset(of: [.read, .query]) }
    }

    /// Returns the objects of a class that a caller may read and query, and could read without the entries for callers who are named
    /// nowhere at the deciding level. Returns nil if this caller may not query the class.
    public func sharedObjects(_ className: String, with caller: Name) -> [Name]? {
        guard mayQuery(className, caller) else { return nil }
        let access = access(of: caller)
        let subjects = subjects(of: caller)
        let own = subjects.subtracting(self.subjects(of: .everyone))
        let readable = readableObjects(subjects, deciding: own)
        return namesOfObjects(ofClass: className) { object in
            guard access(object).isSuperset(of: [.read, .query]) else { return false }
            return isAdministrator(caller) || effective(object, subjects, deciding: own, readable: readable).contains(.read)
        }
    }

    private func mayQuery(_ className: String, _ caller: Name) -> Bool {
        guard let id: ClassID = state.names.id(of: .class(className)) else { return false }
        return classLevel(caller, id).contains(.query)
    }
}
