/// Refusals that are created in several places. A store reports the first problem of a creation. Code that reports all problems
/// uses the same texts.
extension Refusal {
    /// Returns the refusal of a new object with an id that is already taken.
    package static func taken(_ name: Name) -> Refusal {
        Refusal(.alreadyExists, "there is an object `\(name.excerpt)` already: take another id")
    }

    /// Returns the refusal of a subject, member or owner that does not exist.
    package static func unknownPrincipal(_ name: Name) -> Refusal {
        Refusal(
            .unknownPrincipal,
            "there is no user, thing or role `\(name.excerpt)`: one exists once it has called, been registered or been created")
    }

    /// Returns the refusal of a caller without the required privileges on an object. The privileges are names separated by
    /// commas.
    package static func lacking(
        _ privileges: String, on name: Name, isAnonymous: Bool, at level: DecidingLevel? = nil
    ) -> Refusal {
        if isAnonymous {
            return Refusal(
                .notAuthenticated,
                "`\(privileges)` on `\(name.excerpt)` is needed, and an anonymous caller does not have it: sign in")
        }
        // A grant on the object would not help if a level above it does not give the privilege.
        let place: Name? =
            switch level {
            case .store: .store
            case .class: .class(name.className)
            case .object, nil: nil
            }
        let lack = "the caller lacks `\(privileges)` on `\(name.excerpt)`"
        guard let place, place != name else {
            return Refusal(.noPrivilege, lack + ": somebody who may set permissions there can grant it")
        }
        return Refusal(
            .noPrivilege,
            lack + ", since `\(place.excerpt)` does not give it: somebody who may set permissions on that can grant it")
    }
}
