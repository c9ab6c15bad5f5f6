package import Events

/// The end of a subject's access to an object, ordered by time. Its key has eighteen bytes.
package struct Expiry: Hashable, Comparable {
    package let until: Instant
    package let object: ObjectID
    package let subject: PrincipalID

    static let keyBytes = 18

    var key: [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: until.ordered >> shift))
        }
        for id in [object.rawValue, subject.rawValue] {
            for shift in stride(from: UInt64(32), through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: id >> shift)) }
        }
        return bytes
    }

    init(until: Instant, object: ObjectID, subject: PrincipalID) {
        self.until = until
        self.object = object
        self.subject = subject
    }

    init(key: Span<UInt8>) throws(IndexError) {
        guard key.count == Self.keyBytes else { throw .damaged }
        func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(key[$1]) } }
        until = Instant(microseconds: Int64(bitPattern: number(0..<8) ^ 1 << 63))
        object = ObjectID(rawValue: number(8..<13))
        subject = PrincipalID(rawValue: number(13..<18))
    }

    package static func < (left: Expiry, right: Expiry) -> Bool {
        (left.until, left.object, left.subject) < (right.until, right.object, right.subject)
    }
}
