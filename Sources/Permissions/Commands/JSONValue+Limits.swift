package import Events

/// Whether a value has a form that an object can keep.
extension JSONValue {
    /// The bytes that an object keeps for this value.
    ///
    /// - Throws: ``Refusal`` with `tooLarge` or `malformed`.
    package func bytesWithinLimits() throws -> [UInt8] {
        guard depth <= Limits.valueDepth else {
            throw Refusal(.tooLarge, "a value nests at most \(Limits.valueDepth) levels deep")
        }
        let bytes = try JSONText.encode(self)
        guard bytes.count <= Limits.valueBytes else {
            throw Refusal(.tooLarge, "the value has \(bytes.count) bytes as JSON; at most \(Limits.valueBytes) are allowed")
        }
        return bytes
    }

    /// The well-formed names that this value links to, as the value of an object.
    ///
    /// - Throws: ``Refusal`` with `tooLarge`.
    package func linksWithinLimits(of object: Name) throws -> [Name] {
        let targets = links.map { Name($0) }.filter { $0.isWellFormed }
        guard targets.count <= Limits.linksPerValue else {
            throw Refusal(.tooLarge, "the value of `\(object.excerpt)` has more than \(Limits.linksPerValue) links")
        }
        return targets
    }
}
