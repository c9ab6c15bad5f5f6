public import Events
public import Permissions

/// Names and numbers.
extension IndexReader {
    /// The number of a name; nil where the store has never heard of it. Logarithmic.
    public func number(of name: Name) throws -> UInt64? { try tables.number(of: name.text, in: transaction) }

    /// The name under a number. Logarithmic.
    ///
    /// - Throws: ``IndexError/damaged`` where there is none, since every number that is used has a name.
    public func name(of id: some EntityID) throws -> String {
        guard let name = try tables.name(of: id.rawValue, in: transaction) else { throw IndexError.damaged }
        return name
    }

    /// The names under some numbers, sorted by their bytes.
    public func names(of ids: some Sequence<some EntityID>) throws -> [String] {
        try ids.map { try name(of: $0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// An object of this name that is there at the revision; nil where there is none.
    public func object(_ name: Name) throws -> ObjectID? {
        guard let number = try number(of: name) else { return nil }
        let object = ObjectID(rawValue: number)
        return try place(of: object) == nil ? nil : object
    }

    /// Whom a question about a name asks about: any user or thing is a signed-in caller, known or not; a role must be there.
    /// One never seen has what everyone has, but is not `everyone`: that may have been appointed an administrator.
    public func caller(_ name: Name) throws -> PrincipalID? {
        switch name.kind {
        case .everyone: return .everyone
        case .anonymous: return .anonymous
        case .caller: return try number(of: name).map(PrincipalID.init(rawValue:)) ?? .stranger
        case .role: return try object(name).map { PrincipalID($0) }
        default: return nil
        }
    }

    /// A class by name at the revision; nil where there is none.
    public func classID(_ name: String) throws -> ClassID? { try object(.class(name)).map { ClassID($0) } }

    /// The privilege of a name that the store knows today; nil for any other.
    public func privilege(_ name: String) -> Privileges? { state.privilegeNames.privilege(name) }
}

extension PrincipalID {
    /// Any signed-in caller whom the store has never seen: a reserved number that no name has.
    static let stranger = PrincipalID(rawValue: ReservedID.firstFree - 1)
}
