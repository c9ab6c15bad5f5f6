package import Events

/// Whether a value has a form that an object can keep.
extension JSONValue {
    /// The bytes that an object keeps for this value.
    ///
    /// - Throws: ``Refusal`` with `tooLarge` or `malformed`.
    package func bytesWithinLimits(of object: Name) throws -> [UInt8] {
        guard depth <= Limits.valueDepth else {
            throw Refusal(.tooLarge, "the value of `\(object.excerpt)` nests more than \(Limits.valueDepth) levels deep")
        }
        // What is far too large is not written out to find that out.
        var room = Limits.valueBytes
        guard !takesMore(than: &room) else { throw Refusal.tooLarge(object) }
        let bytes: [UInt8]
        do { bytes = try JSONText.encode(self) } catch {
            throw Refusal(.malformed, "the value of `\(object.excerpt)` cannot be kept: \(error)")
        }
        guard bytes.count <= Limits.valueBytes else { throw Refusal.tooLarge(object) }
        return bytes
    }

    /// Whether the texts and the other parts of this value take more room as JSON than there is, counted low: then it surely is
    /// too large. Looks no further than that.
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

    /// The well-formed names that this value links to, as the value of an object.
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
    /// Why the value in this change is too large, where that can be said without writing it out.
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
