internal import Hashing
internal import Primitives

/// Writes the fields of events.
extension ByteWriter {
    mutating func time(_ value: Instant) { fixed64(UInt64(bitPattern: value.microseconds)) }

    mutating func optionalText(_ value: String?) {
        byte(value == nil ? 0 : 1)
        if let value { text(value) }
    }

    mutating func profile(_ value: Profile) {
        optionalText(value.displayName)
        optionalText(value.picture)
    }

    mutating func identity(_ value: LinkedIdentity) {
        text(value.provider.text)
        blob(value.key.bytes)
        optionalText(value.label)
        optionalText(value.secret)
        time(value.linkedAt)
    }

    mutating func hashes(_ value: SessionHashes) {
        raw(value.access.bytes)
        raw(value.refresh.bytes)
    }

    /// Writes a session without its device name.
    mutating func session(_ value: Session, _ hashes: SessionHashes) {
        varint(value.id.number)
        varint(value.account.number)
        self.hashes(hashes)
        text(value.provider.text)
        let times = [value.createdAt, value.authenticatedAt, value.refreshedAt, value.accessEnds, value.idleEnds, value.ends]
        for time in times { self.time(time) }
    }
}

extension ByteReader {
    mutating func account(_ bytes: Span<UInt8>) throws(CodecError) -> AccountID {
        let number = try varint(bytes)
        guard 1...AccountID.limit ~= number else { throw .malformed(what: "the number of an account", offset: offset) }
        return AccountID(number)
    }

    mutating func sessionID(_ bytes: Span<UInt8>) throws(CodecError) -> SessionID { SessionID(try varint(bytes)) }

    mutating func time(_ bytes: Span<UInt8>) throws(CodecError) -> Instant {
        Instant(microseconds: Int64(bitPattern: try fixed64(bytes)))
    }

    mutating func digest(_ bytes: Span<UInt8>) throws(CodecError) -> Digest {
        guard bytes.count - offset >= Digest.byteCount else { throw .truncated(offset: offset) }
        let part = bytes.extracting(offset..<offset + Digest.byteCount)
        offset += Digest.byteCount
        guard let digest = Digest(bytes: part.indices.map { part[$0] }) else { throw .truncated(offset: offset) }
        return digest
    }

    mutating func hashes(_ bytes: Span<UInt8>) throws(CodecError) -> SessionHashes {
        SessionHashes(access: try digest(bytes), refresh: try digest(bytes))
    }

    mutating func provider(_ bytes: Span<UInt8>) throws(CodecError) -> ProviderID {
        guard let provider = ProviderID(try text(bytes)) else {
            throw .malformed(what: "the name of a provider", offset: offset)
        }
        return provider
    }

    mutating func optionalText(_ bytes: Span<UInt8>) throws(CodecError) -> String? {
        switch try byte(bytes) {
        case 0: return nil
        case 1: return try text(bytes)
        default: throw .malformed(what: "whether there is a text", offset: offset)
        }
    }

    mutating func email(_ bytes: Span<UInt8>) throws(CodecError) -> EmailAddress? {
        guard let text = try optionalText(bytes) else { return nil }
        guard let email = EmailAddress(text), email.text == text else { throw .malformed(what: "an email", offset: offset) }
        return email
    }

    mutating func profile(_ bytes: Span<UInt8>) throws(CodecError) -> Profile {
        Profile(displayName: try optionalText(bytes), picture: try optionalText(bytes))
    }

    mutating func identity(_ bytes: Span<UInt8>) throws(CodecError) -> LinkedIdentity {
        LinkedIdentity(
            provider: try provider(bytes), key: IdentityKey(try blob(bytes)), label: try optionalText(bytes),
            secret: try optionalText(bytes), linkedAt: try time(bytes))
    }

    /// Reads a session without its device name, which is sealed.
    mutating func session(_ bytes: Span<UInt8>) throws(CodecError) -> (Session, SessionHashes) {
        let (id, account) = (try sessionID(bytes), try account(bytes))
        let (hashes, provider) = (try hashes(bytes), try provider(bytes))
        let (createdAt, authenticatedAt, refreshedAt) = (try time(bytes), try time(bytes), try time(bytes))
        let session = Session(
            id: id, account: account, createdAt: createdAt, provider: provider, authenticatedAt: authenticatedAt,
            refreshedAt: refreshedAt, accessEnds: try time(bytes), idleEnds: try time(bytes), ends: try time(bytes))
        return (session, hashes)
    }

    /// Throws if any bytes are left.
    func finish(_ bytes: [UInt8]) throws(CodecError) {
        guard offset == bytes.count else { throw .malformed(what: "the end of the encrypted data", offset: offset) }
    }
}
