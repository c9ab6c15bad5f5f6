public import Events
internal import LMDB

/// The revisions of changes.
extension IndexReader {
    /// Returns the revisions that changed an entity: an object, its value or the access to it; the access of a subject; a
    /// principal's roles, a role's members. Sorted. Linear in their number.
    public func revisions(of id: some EntityID) throws -> [Revision] {
        var found: Set<Revision> = []
        for kind in [DocumentKind.object, .memberships, .classOptions, .permission, .value] {
            try collect(DocumentID(kind: kind, id: id.rawValue), into: &found)
        }
        for kind in [RelationKind.member, .grant, .entry, .attachment, .owner] {
            try forEachVersion(RelationPrefix(kind: kind, first: id.rawValue)) { key, end, _ in
                found.formUnion([key.begin, end])
                return true
            }
        }
        for span in try administrators() where span.value.rawValue == id.rawValue { found.formUnion([span.begin, span.end]) }
        return found.filter { $0 <= state.revision }.sorted()
    }

    private func collect(_ id: DocumentID, into found: inout Set<Revision>) throws {
        var isThere = try documents.seek(atOrAfter: id.key(.open))
        while isThere, id.matches(documents.fixedKey) {
            let key = documents.fixedKey
            let end = try documents.withRow { _, row in try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row) }
            found.formUnion([key.begin, end])
            isThere = try documents.next()
        }
    }
}
