package import Events
internal import Permissions
internal import Projections

/// Names in questions that must exist, so that a misspelled name is not taken for an empty result.
extension Snapshot {
    /// Throws a `Refusal` with `malformed` if the store defines no privilege of one of the names.
    public func requirePrivileges(_ names: [String]) throws {
        for name in names where reader.privilege(name) == nil {
            let known = self.names(.all)
            let nearest = name.nearest(among: known).map { "did you mean `\($0)`?" }
            throw Refusal(
                .malformed,
                "the store has no privilege `\(Name(name).excerpt)`: \(nearest ?? "it has " + known.joined(separator: ", "))")
        }
    }

    /// Throws a `Refusal` with `unknownClass` if no class of the name exists at this moment.
    @discardableResult package func requireClass(_ className: String) throws -> ClassID {
        guard let classID = try classID(className) else {
            throw Refusal(.unknownClass, "the class `\(Name(className).excerpt)` does not exist")
        }
        return classID
    }
}
