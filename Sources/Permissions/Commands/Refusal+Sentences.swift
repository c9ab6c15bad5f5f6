/// What is said of a creation in more than one place: a store says the first thing that stands in its way, and whoever wants to
/// know the others too finds them in the same words.
extension Refusal {
    /// The id of a new object is another's.
    package static func taken(_ name: Name) -> Refusal {
        Refusal(.alreadyExists, "there is an object `\(name.excerpt)` already: take another id")
    }

    /// A subject, member or owner is nobody.
    package static func unknownPrincipal(_ name: Name) -> Refusal {
        Refusal(
            .unknownPrincipal,
            "there is no user, thing or role `\(name.excerpt)`: one exists once it has called, been registered or been created")
    }

    /// A caller has not what is needed on an object: some privileges, by name, with commas between.
    package static func lacking(
        _ privileges: String, on name: Name, isAnonymous: Bool, at level: DecidingLevel? = nil
    ) -> Refusal {
        if isAnonymous {
            return Refusal(
                .notAuthenticated,
                "`\(privileges)` on `\(name.excerpt)` is needed, and an anonymous caller does not have it: sign in")
        }
        // Granting it on the object would change nothing where a level above does not give it.
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
