public import Events
public import Hashing

/// The state of an index: the last folded commit, and the data of the whole store.
public struct IndexState: Hashable, Sendable {
    /// The version of the index's layout. An index of another version is rebuilt.
    public static let formatVersion: UInt64 = 6

    public var revision = Revision.genesis
    public var time = Instant.distantPast
    public var hash = Digest.zero
    /// The number that the next new name will get.
    public var nextID: UInt64 = 0
    /// The last revision that changed a membership or an administrator.
    public var membershipRevision = Revision.genesis
    /// The last revision that changed a class, a permission, or entries of the store or a class.
    public var schemaRevision = Revision.genesis
    public var preset = Preset.locked
    public var administratorCount = 0
    public var privilegeNames = PrivilegeNames()
    public var eventCount: UInt64 = 0
    /// The commits that corrected the clock, in order.
    var clockCorrections: [ClockCorrection] = []
    /// The number of blocks of refusals in the audit.
    var refusalBlocks: UInt64 = 0
    /// The last refusal that is the answer to an idempotency key, with a row in `requests`; 0 without one.
    var lastKeyedRefusal = RefusalNumber(0)
    /// The last refusal in a block of the audit.
    package var lastRefusalInBlocks: RefusalNumber { RefusalNumber(refusalBlocks * UInt64(AuditRecords.capacity)) }
    /// The last refusal that has rows in the index.
    package var lastRefusalInRows: RefusalNumber { max(lastRefusalInBlocks, lastKeyedRefusal) }

    /// The number of blocks of events in the audit.
    var eventBlocks: UInt64 { eventCount / UInt64(AuditRecords.capacity) }

    var isEmpty: Bool { nextID == 0 }

    func encode(into writer: inout ByteWriter) {
        writer.varint(Self.formatVersion)
        writer.varint(revision.rawValue)
        writer.fixed64(UInt64(bitPattern: time.microseconds))
        writer.raw(hash.bytes)
        writer.varint(nextID)
        writer.varint(membershipRevision.rawValue)
        writer.varint(schemaRevision.rawValue)
        writer.byte(preset.rawValue)
        writer.varint(UInt64(administratorCount))
        writer.varint(eventCount)
        writer.varint(refusalBlocks)
        writer.varint(UInt64(privilegeNames.custom.count))
        for name in privilegeNames.custom { writer.text(name) }
        // Without both, the row keeps its earlier format.
        if clockCorrections.isEmpty && lastKeyedRefusal.rawValue == 0 { return }
        writer.varint(UInt64(clockCorrections.count))
        for correction in clockCorrections {
            writer.varint(correction.revision.rawValue)
            writer.fixed64(UInt64(bitPattern: correction.time.microseconds))
        }
        if lastKeyedRefusal.rawValue > 0 { writer.varint(lastKeyedRefusal.rawValue) }
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws -> IndexState {
        let version = try reader.varint(row)
        guard version == formatVersion else {
            throw IndexError.unusable("it has version \(version), and this Muniment writes \(formatVersion)")
        }
        var state = IndexState()
        state.revision = Revision(try reader.varint(row))
        state.time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
        var bytes: [UInt8] = []
        for _ in 0..<Digest.byteCount { bytes.append(try reader.byte(row)) }
        guard let hash = Digest(bytes: bytes) else { throw IndexError.damaged }
        state.hash = hash
        state.nextID = try reader.varint(row)
        state.membershipRevision = Revision(try reader.varint(row))
        state.schemaRevision = Revision(try reader.varint(row))
        guard let preset = Preset(rawValue: try reader.byte(row)) else { throw IndexError.damaged }
        state.preset = preset
        state.administratorCount = Int(try reader.varint(row))
        state.eventCount = try reader.varint(row)
        state.refusalBlocks = try reader.varint(row)
        var custom: [String] = []
        for _ in 0..<(try reader.varint(row)) { custom.append(try reader.text(row)) }
        state.privilegeNames = PrivilegeNames(custom: custom)
        guard reader.offset < row.count else { return state }
        for _ in 0..<(try reader.varint(row)) {
            let revision = Revision(try reader.varint(row))
            let time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
            state.clockCorrections.append(ClockCorrection(revision: revision, time: time))
        }
        if reader.offset < row.count { state.lastKeyedRefusal = RefusalNumber(try reader.varint(row)) }
        return state
    }
}

/// A commit that corrected the clock.
struct ClockCorrection: Hashable, Sendable {
    let revision: Revision
    let time: Instant
}

extension IndexState {
    /// Returns the time of a commit: the time in its log, or the time of a later correction of the clock if that is earlier.
    /// Linear in the number of corrections.
    ///
    /// - Parameters:
    ///   - revision: the commit, or for a refused command the last commit before it.
    ///   - recorded: the time in the log.
    public func time(of revision: Revision, recorded: Instant) -> Instant {
        clockCorrections.reduce(recorded) { $1.revision > revision ? min($0, $1.time) : $0 }
    }
}
