/// Encodes the fields that events share.
extension ByteWriter {
    mutating func id(_ id: some EntityID) { varint(id.rawValue) }

    /// Appends 0 for nil, otherwise the number plus one.
    mutating func optionalID(_ id: (some EntityID)?) { varint(id.map { $0.rawValue + 1 } ?? 0) }

    /// Appends twice the number, plus one if the name follows.
    mutating func introduction<ID>(_ introduction: Introduction<ID>) {
        varint(introduction.id.rawValue << 1 | (introduction.name == nil ? 0 : 1))
        if let name = introduction.name { text(name) }
    }

    mutating func privileges(_ privileges: Privileges) { varint(UInt64(privileges.rawValue)) }

    mutating func texts(_ texts: [String]) { list(texts) { $0.text($1) } }

    mutating func links(_ links: [Introduction<ObjectID>]) { list(links) { $0.introduction($1) } }

    /// Appends the number of elements, and then each with `append`.
    private mutating func list<Element>(_ elements: [Element], _ append: (inout ByteWriter, Element) -> Void) {
        varint(UInt64(elements.count))
        for element in elements { append(&self, element) }
    }

    /// Appends the options as in version 1 of the events: without aliases.
    public mutating func options(_ options: ClassOptions) {
        byte(
            options.objectACL.rawValue | options.composition.rawValue << 1 | (options.creatorPermanent ? 4 : 0)
                | (options.readThroughLinks ? 8 : 0))
        privileges(options.inherits)
        privileges(options.creatorPrivileges)
        privileges(options.privileges)
        texts(options.properties)
    }

    public mutating func aliases(_ aliases: [ActionAlias]) {
        list(aliases) { writer, alias in
            writer.text(alias.name)
            writer.privileges(alias.privileges)
        }
    }
}

/// Decodes the fields that events share.
extension ByteReader {
    mutating func id<ID: EntityID>(_ bytes: Span<UInt8>) throws(CodecError) -> ID {
        let start = offset
        let number = try varint(bytes)
        guard number <= ReservedID.limit else { throw .malformed(what: "an id", offset: start) }
        return ID(rawValue: number)
    }

    mutating func optionalID<ID: EntityID>(_ bytes: Span<UInt8>) throws(CodecError) -> ID? {
        let start = offset
        let number = try varint(bytes)
        guard number <= ReservedID.limit + 1 else { throw .malformed(what: "an id", offset: start) }
        return number == 0 ? nil : ID(rawValue: number - 1)
    }

    mutating func introduction<ID>(_ bytes: Span<UInt8>) throws(CodecError) -> Introduction<ID> {
        let start = offset
        let number = try varint(bytes)
        guard number >> 1 <= ReservedID.limit else { throw .malformed(what: "an id", offset: start) }
        return Introduction(ID(rawValue: number >> 1), name: number & 1 == 1 ? try text(bytes) : nil)
    }

    mutating func privileges(_ bytes: Span<UInt8>) throws(CodecError) -> Privileges {
        let start = offset
        guard let value = UInt32(exactly: try varint(bytes)) else { throw .malformed(what: "a set of privileges", offset: start) }
        return Privileges(rawValue: value)
    }

    mutating func texts(_ bytes: Span<UInt8>) throws(CodecError) -> [String] {
        let count = try self.count(bytes)
        var texts: [String] = []
        for _ in 0..<count { texts.append(try text(bytes)) }
        return texts
    }

    mutating func links(_ bytes: Span<UInt8>) throws(CodecError) -> [Introduction<ObjectID>] {
        let count = try self.count(bytes)
        var links: [Introduction<ObjectID>] = []
        for _ in 0..<count { links.append(try introduction(bytes)) }
        return links
    }

    /// Decodes the number of elements that follow. Each element takes at least one byte.
    mutating func count(_ bytes: Span<UInt8>) throws(CodecError) -> Int {
        let start = offset
        let count = try varint(bytes)
        guard count <= UInt64(bytes.count - offset) else { throw .truncated(offset: start) }
        return Int(count)
    }

    mutating func optionalBlob(_ bytes: Span<UInt8>) throws(CodecError) -> [UInt8]? {
        let start = offset
        switch try byte(bytes) {
        case 0: return nil
        case 1: return try blob(bytes)
        default: throw .malformed(what: "an optional value", offset: start)
        }
    }

    mutating func choice<Choice: RawRepresentable>(_ bytes: Span<UInt8>, _ what: String) throws(CodecError) -> Choice
    where Choice.RawValue == UInt8 {
        let start = offset
        guard let choice = Choice(rawValue: try byte(bytes)) else { throw .malformed(what: what, offset: start) }
        return choice
    }

    mutating func accessGranted(_ bytes: Span<UInt8>) throws(CodecError) -> AccessGranted {
        let object: ObjectID = try id(bytes)
        let subject: PrincipalID = try id(bytes)
        let privileges = try self.privileges(bytes)
        let start = offset
        let flags = try byte(bytes)
        guard let cause = GrantCause(rawValue: flags & 0x7F) else { throw .malformed(what: "a cause", offset: start) }
        let until = flags & 0x80 == 0 ? Instant.forever : Instant(microseconds: Int64(bitPattern: try fixed64(bytes)))
        return AccessGranted(object: object, subject: subject, privileges: privileges, until: until, cause: cause)
    }

    mutating func accessLoss(_ bytes: Span<UInt8>) throws(CodecError) -> AccessLoss {
        AccessLoss(object: try id(bytes), subject: try id(bytes), privileges: try privileges(bytes))
    }

    /// Decodes the options as in version 1 of the events: without aliases.
    public mutating func options(_ bytes: Span<UInt8>) throws(CodecError) -> ClassOptions {
        let start = offset
        let flags = try byte(bytes)
        guard flags < 16, let objectACL = ObjectACL(rawValue: flags & 1), let composition = Composition(rawValue: flags >> 1 & 1)
        else { throw .malformed(what: "class options", offset: start) }
        return ClassOptions(
            objectACL: objectACL, composition: composition, inherits: try privileges(bytes),
            creatorPrivileges: try privileges(bytes), creatorPermanent: flags & 4 != 0, readThroughLinks: flags & 8 != 0,
            privileges: try privileges(bytes), properties: try texts(bytes))
    }

    /// Decodes options followed by aliases.
    public mutating func optionsAndAliases(_ bytes: Span<UInt8>) throws(CodecError) -> ClassOptions {
        var options = try options(bytes)
        options.aliases = try aliases(bytes)
        return options
    }

    /// Decodes aliases, which must be sorted by name and unique.
    private mutating func aliases(_ bytes: Span<UInt8>) throws(CodecError) -> [ActionAlias] {
        let start = offset
        let count = try self.count(bytes)
        var aliases: [ActionAlias] = []
        for _ in 0..<count { aliases.append(ActionAlias(try text(bytes), for: try privileges(bytes))) }
        guard zip(aliases, aliases.dropFirst()).allSatisfy(ActionAlias.precedes) else {
            throw .malformed(what: "aliases", offset: start)
        }
        return aliases
    }
}
