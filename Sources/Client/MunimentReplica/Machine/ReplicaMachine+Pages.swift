internal import Primitives

extension ReplicaMachine {
    /// Returns a page of the view of a class, sorted by name: the confirmed objects of a page of the storage, and the objects that
    /// pending transactions created between them.
    func page(
        ofClass className: String, after name: Name?, limit: Int, reading storage: some ReplicaStorage
    ) throws -> (objects: [ReplicaViewObject], next: Name?) {
        let confirmed = try storage.objects(ofClass: className, after: name, limit: limit).map(\.name)
        let last = confirmed.count < limit ? nil : confirmed.last
        let created = view.names(ofClass: className).filter { created in
            name.map { $0 < created } ?? true && last.map { created <= $0 } ?? true
        }
        let names = Set(confirmed).union(created).sorted()
        return (try names.compactMap { try view.object($0, base: storage.object) }, last)
    }
}
