extension Change {
    /// The principals that this change names as subject, member, owner or administrator.
    public var mentionedPrincipals: [Name] {
        switch self {
        case .createObject(_, _, _, let owner): owner.map { [$0] } ?? []
        case .setOwner(_, let owner): [owner]
        case .grant(let subject, _, _, _, _), .setAccess(let subject, _, _), .revoke(let subject, _, _, _): [subject]
        case .addMember(let member, _, _), .removeMember(let member, _, _): [member]
        case .register(let name), .appointAdministrator(let name), .dismissAdministrator(let name): [name]
        case .definePermission(_, let subject, _), .changePermission(_, let subject, _): [subject]
        case .defineClass, .changeClass, .writeObject, .moveObject, .deleteObject, .createRole, .deleteRole,
            .attachPermission, .detachPermission:
            []
        }
    }
}
