internal import Events
internal import Muniment
public import Permissions

/// Why an object was not saved, with all reasons. Nothing was saved.
public struct SaveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Never empty. In the order of the changes: the object itself, then its users in the order of their names.
    public let errors: [Refusal]

    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension Snapshot {
    /// Returns all reasons why an object cannot be saved, as far as its caller may know them.
    ///
    /// A caller that may not create objects is not told which users exist. The store does not disclose this either.
    func obstacles(
        toSaving value: JSONValue, as object: Name, class className: String, users: [Name], by caller: Name
    ) throws -> [Refusal] {
        var found = try [object.problem, problem(of: value, as: object), isTaken(object) ? .taken(object) : nil].compactMap { $0 }
        guard try exists(.class(className)) else { return numbered(found, 0) }
        guard try mayCreate(caller, className) else {
            return numbered(found + [.lacking("create", on: .class(className), isAnonymous: false)], 0)
        }
        found = numbered(found, 0)
        // The entry of the caller precedes those of the users.
        for (index, user) in users.enumerated() {
            let problem = user.problem ?? SharedObjects.problem(ofUser: user)
            if let refusal = try problem ?? (isKnown(user) ? nil : .unknownPrincipal(user)) {
                found += numbered([refusal], index + 2)
            }
        }
        return found
    }

    private func problem(of value: JSONValue, as object: Name) throws -> Refusal? {
        do {
            _ = try value.bytesWithinLimits(of: object)
            _ = try value.linksWithinLimits(of: object)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    private func isTaken(_ object: Name) throws -> Bool { try object.isWellFormed && exists(object) }

    private func isKnown(_ user: Name) throws -> Bool { try (user.kind == .caller || user.kind == .role) && exists(user) }

    private func numbered(_ refusals: [Refusal], _ change: Int) -> [Refusal] {
        refusals.map { Refusal($0.code, $0.message, change: change) }
    }
}
