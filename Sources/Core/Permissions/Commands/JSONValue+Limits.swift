internal import Events

/// Checks whether an object can store a value.
extension JSONValue {
    /// Returns the bytes that an object stores for this value.
    ///
    /// - Throws: ``Refusal`` with `tooLarge` or `malformed`.
    package func bytesWithinLimits(of object: Name) throws -> [UInt8] {
        guard depth <= Limits.valueDepth else {
            throw Refusal(.tooLarge, "the value of `\(object.excerpt)` nests more than \(Limits.valueDepth) levels deep")
        }
        // A value that is clearly too large is refused without encoding it.
        var room = Limits.valueBytes
        guard !takesMore(than: &room) else { throw Refusal.tooLarge(object) }
        let bytes: [UInt8]
        do { bytes = try JSONText.encode(self) } catch {
            throw Refusal(.malformed, "the value of `\(object.excerpt)` cannot be kept: \(error)")
        }
        guard bytes.count <= Limits.valueBytes else { throw Refusal.tooLarge(object) }
        return bytes
    }

    /// Whether the JSON of this value is surely longer than the remaining room. Counts a lower bound, and stops as soon as the
    /// room is used up.
    fileprivate func takesMore(than room: inout Int) -> Bool {
        switch self {
        case .null, .bool, .integer, .number: room -= 1
        case .string(let text): room -= text.utf8.count + 2
        case .array(let elements):
            room -= 2
            for element in elements where room >= 0 { _ = element.takesMore(than: &room) }
        case .object(let members):
            room -= 2
            for (name, member) in members where room >= 0 {
                room -= name.utf8.count + 3
                _ = member.takesMore(than: &room)
            }
        }
        return room < 0
    }

    /// Returns the well-formed names that this value links to, as the value of an object.
    ///
    /// - Throws: ``Refusal`` with `tooLarge`.
    package func linksWithinLimits(of object: Name) throws -> [Name] {
        var targets: Set<Name> = []
        try forEachLink { text in
            let target = Name(text)
            guard target.isWellFormed, targets.insert(target).inserted, targets.count > Limits.linksPerValue else { return }
            throw Refusal(.tooLarge, "the value of `\(object.excerpt)` has more than \(Limits.linksPerValue) links")
        }
        return targets.sorted()
    }
}

extension Change {
    /// The refusal of a change with a value that is clearly too large, found without encoding the value.
    package var obviouslyTooLarge: Refusal? {
        switch self {
        case .createObject(let object, _, let value?, _), .writeObject(let object, .value(let value), _),
            .writeObject(let object, .merge(let value), _):
            var room = Limits.valueBytes
            return value.takesMore(than: &room) ? .tooLarge(object) : nil
        default: return nil
        }
    }
}

extension Refusal {
    fileprivate static func tooLarge(_ object: Name) -> Refusal {
        Refusal(.tooLarge, "the value of `\(object.excerpt)` has more than \(Limits.valueBytes) bytes as JSON")
    }
}
