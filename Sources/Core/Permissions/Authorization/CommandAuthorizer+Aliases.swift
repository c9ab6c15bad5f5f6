internal import Events

extension CommandAuthorizer {
    /// Checks the aliases of a class. An alias may name privileges that the class does not support; no caller has them in that
    /// class.
    func checkedAliases(
        _ aliases: [ClassSettings.Alias], of name: String, in names: PrivilegeNames
    ) throws -> [ActionAlias] {
        guard aliases.count <= Limits.aliasesPerClass else {
            throw Refusal(
                .tooLarge, "the class `\(name)` names \(aliases.count) aliases; at most \(Limits.aliasesPerClass) are allowed")
        }
        var checked: [ActionAlias] = []
        for alias in aliases {
            try checkSymbol(alias.name, "an alias")
            guard !Privileges.builtInNames.contains(where: { ExactText($0) == ExactText(alias.name) }) else {
                throw Refusal(.malformed, "`\(alias.name)` is a built-in privilege and cannot be an alias: take another word")
            }
            guard !checked.contains(where: { $0.isCalled(alias.name) }) else {
                throw Refusal(
                    .malformed, "the class `\(name)` has the alias `\(Name(alias.name).excerpt)` twice: keep one of the two")
            }
            let privileges = try named(alias.privileges, in: names)
            guard !privileges.isEmpty else {
                throw Refusal(
                    .malformed,
                    "the alias `\(Name(alias.name).excerpt)` of the class `\(name)` stands for nothing: name a privilege")
            }
            checked.append(ActionAlias(alias.name, for: privileges))
        }
        return checked
    }
}
