internal import Hashing
internal import Primitives
internal import Secrets

extension IdentityEvent {
    /// The kind of an event. A number is never reused for another kind.
    enum Kind: UInt8, CaseIterable {
        case accountOpened = 1
        case emailSet = 2
        case profileChanged = 3
        case identityLinked = 4
        case identityUnlinked = 5
        case secretChanged = 6
        case sessionBegun = 7
        case sessionRefreshed = 8
        case sessionReauthenticated = 9
        case sessionEnded = 10
        case accountDeleted = 11

        /// The version to write. The decoders of all earlier versions remain.
        var currentVersion: UInt8 { 1 }
    }

    var kind: Kind {
        switch self {
        case .accountOpened: .accountOpened
        case .emailSet: .emailSet
        case .profileChanged: .profileChanged
        case .identityLinked: .identityLinked
        case .identityUnlinked: .identityUnlinked
        case .secretChanged: .secretChanged
        case .sessionBegun: .sessionBegun
        case .sessionRefreshed: .sessionRefreshed
        case .sessionReauthenticated: .sessionReauthenticated
        case .sessionEnded: .sessionEnded
        case .accountDeleted: .accountDeleted
        }
    }

    /// The account with the key that seals the personal data in the event; nil if it has no personal data.
    var sealedFor: AccountID? {
        switch self {
        case .accountOpened(let id, _, _), .emailSet(let id, _), .profileChanged(let id, _), .identityLinked(let id, _),
            .secretChanged(let id, _, _, _):
            id
        case .sessionBegun(let session, _): session.account
        case .identityUnlinked, .sessionRefreshed, .sessionReauthenticated, .sessionEnded, .accountDeleted: nil
        }
    }
}

/// Encodes and decodes the payloads of events.
enum IdentityEventCodec {
    static func encode(_ event: IdentityEvent, at place: EncryptionContext, sealedBy seals: some PersonalDataCipher) -> [UInt8] {
        var writer = ByteWriter()
        func seal(_ account: AccountID, _ body: (inout ByteWriter) -> Void) {
            var plain = ByteWriter()
            body(&plain)
            writer.blob(seals.seal(plain.bytes, of: account, boundTo: place.binding(account)))
        }
        switch event {
        case .accountOpened(let id, let principal, let profile):
            writer.varint(id.number)
            writer.text(principal.text)
            seal(id) { $0.profile(profile) }
        case .emailSet(let id, let email):
            writer.varint(id.number)
            seal(id) { $0.optionalText(email?.text) }
        case .profileChanged(let id, let profile):
            writer.varint(id.number)
            seal(id) { $0.profile(profile) }
        case .identityLinked(let id, let identity):
            writer.varint(id.number)
            seal(id) { $0.identity(identity) }
        case .identityUnlinked(let id, let provider):
            writer.varint(id.number)
            writer.text(provider.text)
        case .secretChanged(let id, let provider, let key, let secret):
            writer.varint(id.number)
            writer.text(provider.text)
            seal(id) { plain in
                plain.blob(key.bytes)
                plain.optionalText(secret)
            }
        case .sessionBegun(let session, let hashes):
            writer.session(session, hashes)
            seal(session.account) { $0.optionalText(session.device) }
        case .sessionRefreshed(let id, let hashes, let nonce, let accessEnds, let idleEnds):
            writer.varint(id.number)
            writer.hashes(hashes)
            writer.raw(nonce.bytes)
            for time in [accessEnds, idleEnds] { writer.time(time) }
        case .sessionReauthenticated(let id, let hashes, let provider, let authenticatedAt, let accessEnds, let idleEnds):
            writer.varint(id.number)
            writer.hashes(hashes)
            writer.text(provider.text)
            for time in [authenticatedAt, accessEnds, idleEnds] { writer.time(time) }
        case .sessionEnded(let id, let why):
            writer.varint(id.number)
            writer.byte(why.rawValue)
        case .accountDeleted(let id): writer.varint(id.number)
        }
        return writer.bytes
    }

    /// Decodes version 1 of every kind, the only version so far.
    static func decode(
        _ kind: IdentityEvent.Kind, _ bytes: Span<UInt8>, at place: EncryptionContext, openedBy seals: some PersonalDataCipher
    ) throws -> LoggedEvent {
        var reader = ByteReader()
        let event: LoggedEvent
        switch kind {
        case .accountOpened, .emailSet, .profileChanged, .identityLinked, .secretChanged:
            event = try decodePersonal(kind, bytes, &reader, at: place, seals)
        case .sessionBegun: event = try decodeSession(bytes, &reader, at: place, seals)
        case .identityUnlinked:
            event = .readable(.identityUnlinked(try reader.account(bytes), try reader.provider(bytes)))
        case .sessionRefreshed:
            event = .readable(
                .sessionRefreshed(
                    try reader.sessionID(bytes), try reader.hashes(bytes), nonce: try reader.digest(bytes),
                    accessEnds: try reader.time(bytes), idleEnds: try reader.time(bytes)))
        case .sessionReauthenticated:
            event = .readable(
                .sessionReauthenticated(
                    try reader.sessionID(bytes), try reader.hashes(bytes), try reader.provider(bytes),
                    authenticatedAt: try reader.time(bytes), accessEnds: try reader.time(bytes), idleEnds: try reader.time(bytes)))
        case .sessionEnded:
            let id = try reader.sessionID(bytes)
            guard let why = SessionEndReason(rawValue: try reader.byte(bytes)) else {
                throw CodecError.malformed(what: "why a session ended", offset: reader.offset)
            }
            event = .readable(.sessionEnded(id, why))
        case .accountDeleted: event = .readable(.accountDeleted(try reader.account(bytes)))
        }
        guard reader.offset == bytes.count else {
            throw CodecError.malformed(what: "the end of an event", offset: reader.offset)
        }
        return event
    }

    private static func decodePersonal(
        _ kind: IdentityEvent.Kind, _ bytes: Span<UInt8>, _ reader: inout ByteReader, at place: EncryptionContext,
        _ seals: some PersonalDataCipher
    ) throws -> LoggedEvent {
        let id = try reader.account(bytes)
        let principal = kind == .accountOpened ? Name(try reader.text(bytes)) : .anonymous
        let provider = kind == .secretChanged ? try reader.provider(bytes) : .password
        guard let plain = try seals.open(try reader.blob(bytes), of: id, boundTo: place.binding(id)) else {
            return .forgotten(kind == .accountOpened ? .accountOpened(id) : .other(id))
        }
        var inner = ByteReader()
        let event: IdentityEvent
        switch kind {
        case .accountOpened: event = .accountOpened(id, principal: principal, profile: try inner.profile(plain.span))
        case .emailSet: event = .emailSet(id, try inner.email(plain.span))
        case .profileChanged: event = .profileChanged(id, try inner.profile(plain.span))
        case .identityLinked: event = .identityLinked(id, try inner.identity(plain.span))
        default:
            event = .secretChanged(
                id, provider, key: IdentityKey(try inner.blob(plain.span)), secret: try inner.optionalText(plain.span))
        }
        try inner.finish(plain)
        return .readable(event)
    }

    private static func decodeSession(
        _ bytes: Span<UInt8>, _ reader: inout ByteReader, at place: EncryptionContext, _ seals: some PersonalDataCipher
    ) throws -> LoggedEvent {
        var (session, hashes) = try reader.session(bytes)
        let account = session.account
        guard let plain = try seals.open(try reader.blob(bytes), of: account, boundTo: place.binding(account)) else {
            return .forgotten(.sessionBegun(session.id, account))
        }
        var inner = ByteReader()
        session.device = try inner.optionalText(plain.span)
        try inner.finish(plain)
        return .readable(.sessionBegun(session, hashes))
    }
}

/// Seals and opens the personal data in events with the key of its account.
protocol PersonalDataCipher {
    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]

    /// Returns the opened data; nil if the account's key is destroyed.
    ///
    /// - Throws: if the key cannot open the data.
    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]?
}

/// The position of sealed data in the log. The data is bound to its position, so that it cannot be moved to another account or
/// replayed in a later event.
struct EncryptionContext {
    let record: UInt64
    /// The index of the event in the record.
    let index: Int
    let kind: UInt8
    let version: UInt8

    func binding(_ account: AccountID) -> [UInt8] {
        var writer = ByteWriter()
        writer.text("muniment account event")
        writer.varint(account.number)
        writer.varint(record)
        writer.varint(UInt64(index))
        writer.byte(kind)
        writer.byte(version)
        return writer.bytes
    }
}

/// Seals with keys in memory.
struct AccountEncryptionKeys: PersonalDataCipher {
    let keys: [AccountID: EncryptionKey]

    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] {
        guard let key = keys[account] else { preconditionFailure("the keys of a record are looked up before it is written") }
        return AuthenticatedEncryption.seal(plain, key: key, boundTo: boundTo)
    }

    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]? {
        keys[account].flatMap { AuthenticatedEncryption.open(sealed, key: $0, boundTo: boundTo) }
    }
}
