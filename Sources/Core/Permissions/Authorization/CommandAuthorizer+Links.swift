internal import Events

extension CommandAuthorizer {
    /// Returns the link targets of a value with their names. Names that are new to the store are introduced.
    ///
    /// - Parameters:
    ///   - value: the whole new value of the object.
    ///   - name: the object's name.
    ///   - object: the object's number.
    ///   - introduced: the number of other names that the change introduces.
    func links(
        in value: JSONValue?, of name: Name, _ object: ObjectID, besides introduced: UInt64
    ) throws -> [(name: Name, target: Introduction<ObjectID>)] {
        guard let value else { return [] }
        var offset = introduced
        return try value.linksWithinLimits(of: name).map { target in
            if target == name { return (target, Introduction(object)) }
            let link: Introduction<ObjectID> = try introduction(of: target, offset: offset)
            if link.name != nil { offset += 1 }
            return (target, link)
        }
    }

    /// Checks links that a change writes. A link from a class that reads through links gives read on its target, so the writer
    /// needs read on the target. An unchanged link needs nothing.
    ///
    /// - Throws: ``Refusal`` with `noPrivilege`, or with `tooLarge` if the caller has reached the limit of links to a target.
    func checkNewLinks(
        _ links: [(name: Name, target: Introduction<ObjectID>)], instead before: [ObjectLink], of source: ObjectID
    ) throws {
        guard authority != .importer, !links.isEmpty else { return }
        let known = Dictionary(before.map { ($0.target, $0) }) { first, _ in first }
        var added: [(target: ObjectID, name: Name)] = []
        for (name, link) in links where link.id != source {
            guard let created = try state.creation(of: link.id), known[link.id]?.created != created,
                let classID = try state.place(of: link.id)?.classID, try state.options(of: classID)?.readThroughLinks == true
            else { continue }
            try need(.read, on: link.id, name)
            if known[link.id] == nil { added.append((link.id, name)) }
        }
        for (target, name) in added where try state.linkCount(of: caller, to: target) >= Limits.linksPerCaller {
            throw Refusal(
                .tooLarge,
                "the caller has written \(Limits.linksPerCaller) links to `\(name.excerpt)` already, the most that count for reading: "
                    + "remove one of them, or grant access instead")
        }
    }
}
