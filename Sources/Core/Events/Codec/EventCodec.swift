/// The payload of each kind of event. `Docs/Format.md` describes the same in words.
enum EventCodec {
    static func encode(_ event: Event, into writer: inout ByteWriter) {
        switch event {
        case .storeCreated(let preset):
            writer.byte(preset.rawValue)
        case .classDefined(let event):
            writer.introduction(event.classID)
            writer.optionsAndAliases(event.options)
            writer.texts(event.newPrivileges)
        case .classChanged(let event):
            writer.id(event.classID)
            writer.optionsAndAliases(event.options)
            writer.texts(event.newPrivileges)
        case .principalRegistered(let principal), .roleCreated(let principal):
            writer.introduction(principal)
        case .roleDeleted(let principal), .administratorAppointed(let principal), .administratorDismissed(let principal):
            writer.id(principal)
        case .memberAdded(let event), .memberRemoved(let event):
            writer.id(event.role)
            writer.id(event.member)
        case .objectCreated(let event):
            writer.introduction(event.object)
            writer.id(event.classID)
            writer.optionalID(event.parent)
            writer.id(event.owner)
            writer.byte(event.value == nil ? 0 : 1)
            if let value = event.value { writer.blob(value) }
            writer.links(event.links)
        case .objectWritten(let event):
            writer.id(event.object)
            writer.blob(event.value)
            writer.links(event.links)
        case .objectMoved(let event):
            writer.id(event.object)
            writer.optionalID(event.parent)
        case .objectDeleted(let object):
            writer.id(object)
        case .ownerChanged(let event):
            writer.id(event.object)
            writer.id(event.owner)
        case .accessGranted(let event):
            writer.id(event.object)
            writer.id(event.subject)
            writer.privileges(event.privileges)
            // One byte for the cause. Bit 7 is set if an end follows.
            let ends = event.until != .forever
            writer.byte(event.cause.rawValue | (ends ? 0x80 : 0))
            if ends { writer.fixed64(UInt64(bitPattern: event.until.microseconds)) }
        case .accessRevoked(let event), .accessExpired(let event):
            writer.id(event.object)
            writer.id(event.subject)
            writer.privileges(event.privileges)
        case .permissionDefined(let event):
            writer.introduction(event.permission)
            writer.id(event.subject)
            writer.privileges(event.privileges)
        case .permissionChanged(let event):
            writer.id(event.permission)
            writer.id(event.subject)
            writer.privileges(event.privileges)
        case .permissionAttached(let event), .permissionDetached(let event):
            writer.id(event.permission)
            writer.id(event.object)
        case .clockCorrected: break
        }
    }

    static func decode(
        _ kind: Event.Kind, version: UInt8, _ reader: inout ByteReader, _ bytes: Span<UInt8>
    ) throws(CodecError) -> Event {
        switch kind {
        case .storeCreated:
            .storeCreated(try reader.choice(bytes, "a preset"))
        case .classDefined:
            .classDefined(
                ClassDefined(
                    classID: try reader.introduction(bytes), options: try reader.options(bytes, version: version),
                    newPrivileges: try reader.texts(bytes)))
        case .classChanged:
            .classChanged(
                ClassChanged(
                    classID: try reader.id(bytes), options: try reader.options(bytes, version: version),
                    newPrivileges: try reader.texts(bytes)))
        case .principalRegistered:
            .principalRegistered(try reader.introduction(bytes))
        case .roleCreated:
            .roleCreated(try reader.introduction(bytes))
        case .roleDeleted:
            .roleDeleted(try reader.id(bytes))
        case .memberAdded:
            .memberAdded(RoleMember(role: try reader.id(bytes), member: try reader.id(bytes)))
        case .memberRemoved:
            .memberRemoved(RoleMember(role: try reader.id(bytes), member: try reader.id(bytes)))
        case .objectCreated:
            .objectCreated(
                ObjectCreated(
                    object: try reader.introduction(bytes), classID: try reader.id(bytes),
                    parent: try reader.optionalID(bytes), owner: try reader.id(bytes), value: try reader.optionalBlob(bytes),
                    links: try reader.links(bytes)))
        case .objectWritten:
            .objectWritten(
                ObjectWritten(object: try reader.id(bytes), value: try reader.blob(bytes), links: try reader.links(bytes)))
        case .objectMoved:
            .objectMoved(ObjectMoved(object: try reader.id(bytes), parent: try reader.optionalID(bytes)))
        case .objectDeleted:
            .objectDeleted(try reader.id(bytes))
        case .ownerChanged:
            .ownerChanged(OwnerChanged(object: try reader.id(bytes), owner: try reader.id(bytes)))
        case .accessGranted:
            .accessGranted(try reader.accessGranted(bytes))
        case .accessRevoked:
            .accessRevoked(try reader.accessLoss(bytes))
        case .accessExpired:
            .accessExpired(try reader.accessLoss(bytes))
        case .permissionDefined:
            .permissionDefined(
                PermissionDefined(
                    permission: try reader.introduction(bytes), subject: try reader.id(bytes),
                    privileges: try reader.privileges(bytes)))
        case .permissionChanged:
            .permissionChanged(
                PermissionChanged(
                    permission: try reader.id(bytes), subject: try reader.id(bytes), privileges: try reader.privileges(bytes)))
        case .permissionAttached:
            .permissionAttached(PermissionAttachment(permission: try reader.id(bytes), object: try reader.id(bytes)))
        case .permissionDetached:
            .permissionDetached(PermissionAttachment(permission: try reader.id(bytes), object: try reader.id(bytes)))
        case .administratorAppointed:
            .administratorAppointed(try reader.id(bytes))
        case .administratorDismissed:
            .administratorDismissed(try reader.id(bytes))
        case .clockCorrected:
            .clockCorrected
        }
    }
}

extension Event {
    /// The kind of this event.
    public var kind: Kind {
        switch self {
        case .storeCreated: .storeCreated
        case .classDefined: .classDefined
        case .classChanged: .classChanged
        case .principalRegistered: .principalRegistered
        case .roleCreated: .roleCreated
        case .roleDeleted: .roleDeleted
        case .memberAdded: .memberAdded
        case .memberRemoved: .memberRemoved
        case .objectCreated: .objectCreated
        case .objectWritten: .objectWritten
        case .objectMoved: .objectMoved
        case .objectDeleted: .objectDeleted
        case .ownerChanged: .ownerChanged
        case .accessGranted: .accessGranted
        case .accessRevoked: .accessRevoked
        case .accessExpired: .accessExpired
        case .permissionDefined: .permissionDefined
        case .permissionChanged: .permissionChanged
        case .permissionAttached: .permissionAttached
        case .permissionDetached: .permissionDetached
        case .administratorAppointed: .administratorAppointed
        case .administratorDismissed: .administratorDismissed
        case .clockCorrected: .clockCorrected
        }
    }
}

extension ByteWriter {
    /// Appends the options, and the aliases if the class has any. Only version 2 contains aliases.
    fileprivate mutating func optionsAndAliases(_ options: ClassOptions) {
        self.options(options)
        if !options.aliases.isEmpty { aliases(options.aliases) }
    }
}

extension ByteReader {
    fileprivate mutating func options(_ bytes: Span<UInt8>, version: UInt8) throws(CodecError) -> ClassOptions {
        guard version > 1 else { return try options(bytes) }
        let start = offset
        let options = try optionsAndAliases(bytes)
        guard !options.aliases.isEmpty else { throw .malformed(what: "aliases", offset: start) }
        return options
    }
}
