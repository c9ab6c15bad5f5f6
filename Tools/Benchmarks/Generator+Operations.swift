extension Generator {
    /// Number of operations.
    var operationCount: Int { operations.reduce(0) { count, _ in count + 1 } }

    /// All operations in chronological order, generated lazily.
    var operations: some Sequence<Operation> {
        let generator = self
        let roles = (0..<chains).lazy.flatMap { chain in generator.roleOperations(chain) }
        let members = (0..<users).lazy.flatMap { user in
            generator.memberships(ofUser: user).map { Operation.addMember(generator.user(user), role: $0) }
        }
        let folders = (0..<self.folders).lazy.flatMap { folder in generator.folderOperations(folder) }
        let objects = (0..<self.objects).lazy.map { object in
            Operation.createObject(
                generator.object(object), parent: generator.folder(generator.folder(ofObject: object)))
        }
        let entries = (0..<objectEntries).lazy.map { index in generator.grant(generator.objectEntry(index)) }
        let rewritten = (0..<Swift.min(rewrites, objectEntries)).lazy.flatMap { index -> [Operation] in
            let entry = generator.objectEntry(index)
            return [.revoke(subject: entry.subject, object: entry.object), generator.grant(entry)]
        }
        return Chain(Chain(Chain(roles, members), Chain(folders, objects)), Chain(entries, rewritten))
    }

    /// Returns the operations in transactions of at most this many operations, each with its own revision. With a limit of 1, the
    /// revocation and the new grant of a rewritten entry are in different transactions.
    func transactions(of operationLimit: Int) -> some Sequence<[Operation]> {
        sequence(state: operations.makeIterator()) { iterator -> [Operation]? in
            var transaction: [Operation] = []
            transaction.reserveCapacity(operationLimit)
            while transaction.count < operationLimit, let operation = iterator.next() { transaction.append(operation) }
            return transaction.isEmpty ? nil : transaction
        }
    }

    private func roleOperations(_ chain: Int) -> [Operation] {
        var operations = (0..<Self.chainLength).map { Operation.createRole(role(chain: chain, height: $0)) }
        for height in 1..<Self.chainLength {
            operations.append(.addMember(role(chain: chain, height: height - 1), role: role(chain: chain, height: height)))
        }
        return operations
    }

    private func folderOperations(_ index: Int) -> [Operation] {
        let top = index - index % Self.folderGroup
        let create = Operation.createObject(folder(index), parent: top == index ? nil : folder(top))
        return [create] + folderEntries(index).map(grant)
    }

    private func grant(_ entry: Question) -> Operation {
        .grant(subject: entry.subject, object: entry.object, rank: entry.rank)
    }
}

/// Two sequences, one after the other.
private struct Chain<First: Sequence, Second: Sequence>: Sequence where First.Element == Second.Element {
    let first: First
    let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    struct Iterator: IteratorProtocol {
        var first: First.Iterator?
        var second: Second.Iterator

        mutating func next() -> First.Element? {
            if let element = first?.next() { return element }
            first = nil
            return second.next()
        }
    }

    func makeIterator() -> Iterator { Iterator(first: first.makeIterator(), second: second.makeIterator()) }
}
