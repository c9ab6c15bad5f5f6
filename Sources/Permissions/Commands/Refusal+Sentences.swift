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
    package static func lacking(_ privileges: String, on name: Name, isAnonymous: Bool) -> Refusal {
        isAnonymous
            ? Refusal(
                .notAuthenticated,
                "`\(privileges)` on `\(name.excerpt)` is needed, and an anonymous caller does not have it: sign in")
            : Refusal(
                .noPrivilege,
                "the caller lacks `\(privileges)` on `\(name.excerpt)`: somebody who may set permissions there can grant it")
    }
}
