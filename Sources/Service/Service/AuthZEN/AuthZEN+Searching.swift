internal import Events
internal import Muniment
internal import Permissions

/// Searches for the subjects, the resources or the actions of permitted evaluations.
extension AuthZEN {
    /// The number of results on a page if the request does not set it.
    package static let resultsPerPage = 1000
    /// The largest number of results on a page.
    package static let resultsPerPageLimit = 10_000

    /// Returns the existing subjects of a type that may perform an action on a resource. Administrators are included if the caller
    /// may know who they are.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: a page of the subjects by name, as JSON. All following pages use the same moment.
    /// - Throws: ``AuthZENError``, and errors of a store that cannot be read.
    package func searchSubjects(_ body: [UInt8]) throws -> [UInt8] {
        try search(.subject, body) { parts, snapshot in
            guard let subject = parts.subject, let resource = parts.resource else { return [] }
            try asker.requirePermissionToQuery(aboutAccessTo: resource, in: store)
            let audience = try asker.audience(in: store)
            guard let name = resource.object, try snapshot.tells(audience, of: name),
                let object = try snapshot.objectID(name),
                let wanted = try snapshot.action(parts.action?.name ?? "", onClass: resource.type, levels: { try store.levels })
            else { return [] }
            let found = try snapshot.subjects(ofType: subject.type, with: wanted, on: object)
            return try snapshot.holders(of: wanted, on: object, among: found, for: audience).map {
                .entity(subject.givenType, Name($0).typeAndID.id)
            }
        }
    }

    /// Returns the resources of a type that allow an action to a subject.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: a page of the resources by name, as JSON. All following pages use the same moment.
    /// - Throws: ``AuthZENError``, and errors of a store that cannot be read.
    package func searchResources(_ body: [UInt8]) throws -> [UInt8] {
        try search(.resource, body) { parts, snapshot in
            guard let (subject, resource) = try known(parts, snapshot),
                let wanted = try snapshot.action(parts.action?.name ?? "", onClass: resource.type, levels: { try store.levels })
            else { return [] }
            return try snapshot.objects(ofClass: resource.type, for: subject, with: wanted).map {
                let (type, id) = Name($0).typeAndID
                return .entity(type, id)
            }
        }
    }

    /// Returns the actions that a subject may perform on a resource: privileges, the aliases of the
    /// resource's class, and the named sets of the store.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: a page of the actions by name, as JSON. All following pages use the same moment.
    /// - Throws: ``AuthZENError``, and errors of a store that cannot be read.
    package func searchActions(_ body: [UInt8]) throws -> [UInt8] {
        try search(.action, body) { parts, snapshot in
            guard let (subject, resource) = try known(parts, snapshot),
                let object = try resource.object.flatMap({ try snapshot.objectID($0) })
            else { return [] }
            return try store.actions(of: subject, on: object, in: snapshot).map(SearchResult.action)
        }
    }

    /// Returns the number of a subject that the caller may query, and the resource; nil if the store does not know the subject.
    private func known(_ parts: RequestParts, _ snapshot: Snapshot) throws -> (PrincipalID, EntityPart)? {
        guard let subject = parts.subject, let resource = parts.resource else { return nil }
        try asker.requirePermissionToQuery(about: subject, in: store)
        return try subject.principal.flatMap { try snapshot.principalID($0) }.map { ($0, resource) }
    }

    /// Runs a search at the moment of the request, or of its token, and writes a page of the results.
    private func search(
        _ kind: SearchedKind, _ body: [UInt8], _ find: (RequestParts, Snapshot) throws -> [SearchResult]
    ) throws -> [UInt8] {
        let request = try SearchRequest(body, kind, self)
        guard let text = request.page.token else {
            return try reading(request.parts.context?.moment ?? .now) { snapshot in
                let limit = min(request.page.limit ?? Self.resultsPerPage, Self.resultsPerPageLimit)
                return try page(of: find(request.parts, snapshot), limit, from: 0, request, snapshot)
            }
        }
        guard let token = (seal.map { $0.position(text) } ?? text).flatMap({ PageToken($0) }) else {
            throw AuthZENError("invalid `page.token`: pass the `next_token` of the previous page unchanged, as the same caller")
        }
        let limit = request.page.limit.map { min($0, Self.resultsPerPageLimit) } ?? token.limit
        guard token.digest == (try request.digest()), token.limit == limit else {
            throw AuthZENError("`page.token` is from another request: repeat that request, or begin without a token")
        }
        do {
            return try store.read(at: .revisionAt(token.revision, token.instant)) { snapshot in
                try page(of: find(request.parts, snapshot), limit, from: token.offset, request, snapshot)
            }
        } catch StoreError.noSuchRevision {
            throw AuthZENError("`page.token` is from another store: begin without a token")
        }
    }

    private func page(
        of all: [SearchResult], _ limit: Int, from offset: Int, _ request: SearchRequest, _ snapshot: Snapshot
    ) throws -> [UInt8] {
        let results = Array(all.dropFirst(offset).prefix(limit))
        var next = ""
        if offset + results.count < all.count {
            let token = PageToken(
                revision: snapshot.revision, instant: snapshot.instant, limit: limit, offset: offset + results.count,
                digest: try request.digest())
            next = seal?.cursor(token.text) ?? token.text
        }
        var writer = JSONWriter()
        writer.raw("{\"page\":{\"next_token\":\"\(next)\",\"count\":\(results.count),\"total\":\(all.count)},")
        writer.raw("\"context\":{\"revision\":\(snapshot.revision.rawValue)},\"results\":")
        writer.writeList(results) { $0.write($1) }
        writer.raw("}")
        return writer.written
    }
}

/// One result of a search.
private enum SearchResult {
    /// A subject or a resource.
    case entity(_ type: String, _ id: String)
    case action(String)
}

extension JSONWriter {
    fileprivate mutating func write(_ result: SearchResult) {
        switch result {
        case .entity(let type, let id): writeMembers([("type", type), ("id", id)]) { $0.write($1) }
        case .action(let name): writeMembers([("name", name)]) { $0.write($1) }
        }
    }
}

extension Snapshot {
    /// Returns the existing principals of an AuthZEN type that have all of some privileges on an object, sorted.
    fileprivate func subjects(ofType type: String, with wanted: Privileges, on object: ObjectID) throws -> [String] {
        switch type {
        case "user": try subjects(ofClass: .user, with: wanted, on: object)
        case "thing": try subjects(ofClass: .thing, with: wanted, on: object)
        case "role": try subjects(ofClass: .role, with: wanted, on: object)
        case "everyone": try check(.everyone, wanted, on: object) ? [Name.everyone.text] : []
        case "anonymous": try check(.anonymous, wanted, on: object) ? [Name.anonymous.text] : []
        default: []
        }
    }
}
