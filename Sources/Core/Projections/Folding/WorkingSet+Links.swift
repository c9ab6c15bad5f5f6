internal import Events
internal import Permissions

/// Links between objects. A link counts for the object that had the name at the end of the commit that wrote the link, as long as
/// its writer has not reached the limit of links to that object.
extension WorkingSet {
    func setValue(of object: ObjectID, to json: [UInt8], links targets: [ObjectID]) throws {
        let before = try valueDocument(object)?.links ?? []
        try work.count(WorkMeter.change + json.count / WorkMeter.storedBytes + before.count + targets.count)
        let known = Dictionary(before.map { ($0.target, $0) }) { first, _ in first }
        let links = try targets.map { target in
            let created = try creation(of: target)
            if let stays = known[target], stays.created == created { return stays }
            return ObjectLink(target: target, created: created, writer: actor)
        }
        values.set(object, ValueDocument(json: json, links: links), at: revision)
        let kept = Set(links)
        for link in before where !kept.contains(link) { try endLink(link, of: object) }
        for link in links {
            linkedInCommit[link.target, default: []].append(object)
            if known[link.target] != link { try beginLink(link, of: object) }
        }
    }

    /// Resolves the links that this commit has written to a name, after the commit has created an object of that name.
    func resolveLinks(to target: ObjectID) throws {
        for source in linkedInCommit[target] ?? [] {
            guard var document = try valueDocument(source), let place = document.links.firstIndex(where: { $0.target == target })
            else { continue }
            document.links[place].created = revision
            document.links[place].writer = actor
            values.set(source, document, at: revision)
            try beginLink(document.links[place], of: source)
        }
    }

    /// Ends the links in an object's value and the links to the object.
    func endLinks(of object: ObjectID) throws {
        for link in try links(of: object) { try endLink(link, of: object) }
        for writer in try related(.link, object.rawValue) { try relate(.link, object.rawValue, writer, nil) }
    }

    func sources(linkedBy writer: PrincipalID, to target: ObjectID) throws -> [ObjectID] {
        try relation(.link, target.rawValue, writer.rawValue)?.sources ?? []
    }

    private func beginLink(_ link: ObjectLink, of object: ObjectID) throws {
        guard link.created != nil, link.target != object else { return }
        var sources = try sources(linkedBy: link.writer, to: link.target)
        let place = sources.firstIndex { $0 >= object } ?? sources.count
        guard sources.count < Limits.linksPerCaller, place == sources.count || sources[place] != object else { return }
        sources.insert(object, at: place)
        try relate(.link, link.target.rawValue, link.writer.rawValue, .links(sources))
    }

    private func endLink(_ link: ObjectLink, of object: ObjectID) throws {
        var sources = try sources(linkedBy: link.writer, to: link.target)
        guard let place = sources.firstIndex(of: object) else { return }
        sources.remove(at: place)
        try relate(.link, link.target.rawValue, link.writer.rawValue, sources.isEmpty ? nil : .links(sources))
    }
}
