internal import Events
internal import LMDB

/// The objects of a class in the order of a property, those with equal values in the order of their numbers, or all of them
/// reversed.
///
/// A query about the present reads only the present rows; at an earlier revision the past rows are read too.
final class PropertySource: CandidateSource {
    /// The number of the property.
    let slot: UInt16
    private let parts: [Part]
    private let isDescending: Bool
    /// The part with the object that was returned last.
    private var current: Part?

    /// - Parameter start: only objects after this place in the order are returned.
    init(
        _ reader: IndexReader, _ classID: ClassID, slot: UInt16, _ range: PropertyRange, isDescending: Bool = false,
        after start: (key: PropertyKey, object: ObjectID)? = nil
    ) throws {
        let revision = reader.revision
        self.slot = slot
        self.isDescending = isDescending
        var parts: [Part] = []
        for part in revision == reader.state.revision ? [PropertyRow.Part.present] : [.present, .past] where !range.isEmpty {
            let prefix = PropertyRow.prefix(part, classID, slot)
            let cursor = try reader.transaction.cursor(over: reader.tables[.properties])
            parts.append(
                Part(cursor: cursor, prefix: prefix, range: range, isDescending: isDescending, after: start, revision: revision))
        }
        self.parts = parts
    }

    func next() throws -> ObjectID? {
        for part in parts { try part.prepare() }
        var first: Part?
        for part in parts where part.isThere {
            guard let other = first else {
                first = part
                continue
            }
            if isDescending ? other.isBefore(part) : part.isBefore(other) { first = part }
        }
        current = first
        return first?.take()
    }

    /// The key of the object that was returned last; nil before the first object and after the last.
    var key: PropertyKey? { current?.key }

    func close() { for part in parts { part.cursor.close() } }

    /// The present rows, or the past ones.
    private final class Part {
        let cursor: Cursor
        private let prefix: [UInt8]
        private let isDescending: Bool
        private let revision: Revision
        private let start: [UInt8]?
        private let limit: [UInt8]?
        private var hasBegun = false
        private(set) var isThere = false
        /// Whether the row at the cursor was already returned.
        private var isUsed = true

        init(
            cursor: Cursor, prefix: [UInt8], range: PropertyRange, isDescending: Bool,
            after last: (key: PropertyKey, object: ObjectID)?, revision: Revision
        ) {
            self.cursor = cursor
            self.prefix = prefix
            self.isDescending = isDescending
            self.revision = revision
            let lower = prefix + range.lower
            let upper = range.upper.map { prefix + $0 } ?? PropertyRange.successor(of: prefix)
            let position = last.map { last in
                prefix + last.key.bytes + PropertyRow.bytes(last.object.rawValue + (isDescending ? 0 : 1), count: 5)
            }
            if isDescending {
                start = [upper, position].compactMap { $0 }.min { $0.lexicographicallyPrecedes($1) }
                limit = lower
            } else {
                start = position.map { lower.lexicographicallyPrecedes($0) ? $0 : lower } ?? lower
                limit = upper
            }
        }

        /// Moves to the next row that is valid at the revision, unless the cursor is already there.
        func prepare() throws {
            guard isUsed else { return }
            isUsed = false
            repeat {
                isThere = try step() && isInside
            } while try isThere && !holds
        }

        private func step() throws -> Bool {
            if hasBegun { return try isDescending ? cursor.previous() : cursor.next() }
            hasBegun = true
            guard let start else { return isDescending ? try cursor.last() : try cursor.first() }
            let isThere = try cursor.seek(atOrAfter: start.span)
            guard isDescending else { return isThere }
            return isThere ? try cursor.previous() : try cursor.last()
        }

        private var isInside: Bool {
            cursor.withRow { key, _ in
                guard key.count >= PropertyRow.prefixBytes + PropertyRow.suffixBytes else { return false }
                guard let limit else { return true }
                return isDescending ? !key.isBefore(limit.span) : key.isBefore(limit.span)
            }
        }

        private var holds: Bool {
            get throws {
                try cursor.withRow { key, row in
                    guard row.count == VersionRow.headerBytes else { throw IndexError.damaged }
                    let end = try VersionRow.end(key: key, tag: .properties, row)
                    let inverted = PropertyRow.number(key, at: key.count - 5..<key.count)
                    return Revision.open.rawValue - inverted <= revision.rawValue && revision < end
                }
            }
        }

        /// Whether the current row is before another part's.
        func isBefore(_ other: Part) -> Bool {
            cursor.withRow { key, _ in
                other.cursor.withRow { otherKey, _ in
                    key.extracting(1..<key.count - 5).isBefore(otherKey.extracting(1..<otherKey.count - 5))
                }
            }
        }

        func take() -> ObjectID {
            isUsed = true
            return cursor.withRow { key, _ in
                let valueEnd = key.count - PropertyRow.suffixBytes
                return ObjectID(rawValue: PropertyRow.number(key, at: valueEnd..<valueEnd + 5))
            }
        }

        var key: PropertyKey {
            cursor.withRow { key, _ in
                PropertyKey(bytes: [UInt8](copying: key.extracting(PropertyRow.prefixBytes..<key.count - PropertyRow.suffixBytes)))
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether these bytes are ordered before others.
    fileprivate func isBefore(_ other: Span<UInt8>) -> Bool {
        let shared = Swift.min(count, other.count)
        for index in 0..<shared where self[index] != other[index] { return self[index] < other[index] }
        return count < other.count
    }
}
