public import Events
internal import LMDB
internal import Permissions

/// Names and numbers.
extension IndexReader {
    /// Returns the number of a name; nil if the store never had it. Logarithmic.
    public func number(of name: Name) throws -> UInt64? { try tables.number(of: name.text, in: transaction) }

    /// Returns the name of a number. Logarithmic.
    ///
    /// - Throws: ``IndexError/damaged`` for a number without a name, since every number in use has one.
    public func name(of id: some EntityID) throws -> String {
        guard let name = try tables.name(of: id.rawValue, in: transaction) else { throw IndexError.damaged }
        return name
    }

    /// Returns the names of some numbers, sorted by their bytes.
    public func names(of ids: some Sequence<some EntityID>) throws -> [String] {
        try ids.map { try name(of: $0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the object of a name at the revision; nil if it does not exist.
    public func object(_ name: Name) throws -> ObjectID? {
        guard let number = try number(of: name) else { return nil }
        let object = ObjectID(rawValue: number)
        return try place(of: object) == nil ? nil : object
    }

    /// Calls `body` with the names that begin with a prefix, whether or not they exist at the revision: sorted by their bytes, then
    /// those of more than 255 bytes. Stops if `body` returns false. Linear in the number of these names and of the long names.
    public func forEachName(prefix: String, _ body: (String, ObjectID) throws -> Bool) throws {
        let prefix = Array(prefix.utf8)
        let cursor = try transaction.cursor(over: tables[.names])
        defer { cursor.close() }
        // A long name is stored by its hash, after all other names.
        for isLong in [false, true] {
            let start = isLong ? [IndexTables.longNameMark] : prefix.isEmpty ? [0] : Array(prefix.prefix(IndexTables.nameKeyBytes))
            var isThere = try cursor.seek(atOrAfter: start.span)
            while isThere {
                let row = try nameRow(cursor)
                let matches = row.name.utf8.starts(with: prefix)
                guard row.isLong == isLong, matches || isLong else { break }
                if matches, try !body(row.name, row.id) { return }
                isThere = try cursor.next()
            }
        }
    }

    /// Returns the row of the table `names` at a cursor.
    private func nameRow(_ cursor: Cursor) throws -> (name: String, isLong: Bool, id: ObjectID) {
        let (isLong, id) = try cursor.withRow { key, row in
            try PlainRow.check(key: key, tag: .names, row)
            var reader = ByteReader(offset: 4)
            return (key.count > 0 && key[0] == IndexTables.longNameMark, ObjectID(rawValue: try reader.varint(row)))
        }
        return (try name(of: id), isLong, id)
    }

    /// Returns the principal that a question about a name refers to. Any user or thing is a signed-in caller, known or not; a
    /// role must exist. An unknown caller has the access of everyone, but differs from `everyone`, which may have been appointed
    /// an administrator.
    public func caller(_ name: Name) throws -> PrincipalID? {
        switch name.kind {
        case .everyone: return .everyone
        case .anonymous: return .anonymous
        case .caller: return try number(of: name).map(PrincipalID.init(rawValue:)) ?? .unlistedUser
        case .role: return try object(name).map { PrincipalID($0) }
        default: return nil
        }
    }

    /// Returns a class by name at the revision; nil if it does not exist.
    public func classID(_ name: String) throws -> ClassID? { try object(.class(name)).map { ClassID($0) } }

    /// Returns the privilege of a name at the head; nil if the store does not define it.
    public func privilege(_ name: String) -> Privileges? { state.privilegeNames.privilege(name) }
}

extension PrincipalID {
    /// Any signed-in caller that the store has never seen: a reserved number without a name.
    static let unlistedUser = PrincipalID(rawValue: ReservedID.firstFree - 1)
}
