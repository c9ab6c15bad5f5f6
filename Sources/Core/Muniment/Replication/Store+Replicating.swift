internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

/// Replicas: copies of what a user may read, at one revision.
extension Store {
    /// Returns the steps that keep a replica complete, as a sequence that waits for the next one.
    ///
    /// A replica contains, for one user, the objects of some classes that the user may read, with the user's own privileges on each
    /// and on the classes. It moves from one revision to a later one as a whole. A step contains only the difference between the two,
    /// and no value of a revision in between (CONFORMANCE R17).
    ///
    /// - A replica without a position, or of other classes, is filled. A fill reads the objects of one revision in pages, and then
    ///   the changes since. It can be resumed after any page.
    /// - An object is sent only if the user may read it at the revision of the step and now (CONFORMANCE E15).
    /// - A step that changes nothing is not sent. The sequence ends as that of ``notices(for:after:)`` does.
    ///
    /// The store keeps no state for replicas. A fill is linear in the objects that the user may be able to read, a step in the commits
    /// since the last one and in the objects that they may affect. A waiting replica costs nothing for commits that do not affect it.
    ///
    /// - Parameters:
    ///   - user: a user or thing, known or not, or `anonymous`.
    ///   - classes: the names of 1 to 32 classes that are not built in.
    ///   - position: the position of the replica; nil for a new one.
    ///   - commit: a commit that the replica knows of. A history without it was restored from a backup, and the replica is filled.
    /// - Throws: `Refusal`: `malformed` for an ill-formed name, a name that is not a caller's, and for no or too many classes;
    ///   `unknownClass`.
    public func replica(
        of user: Name, classes: [String], after position: ReplicaPosition? = nil, containing commit: KnownCommit? = nil
    ) throws -> ReplicaFeed {
        try checkReplica(of: user)
        let names = Set(classes.map { Name.class($0) }).sorted()
        guard 1...ReplicaPosition.classLimit ~= names.count else {
            throw Refusal(
                .malformed, "the replica has \(names.count) classes: name 1 to \(ReplicaPosition.classLimit)")
        }
        return try withReader { reader in
            let found = try names.map { try reader.replicatedClass($0) }
            let digest = ReplicaPosition.digest(of: user, found.map(\.name))
            func subscriber(after revision: Revision = .genesis, _ fill: ReplicaFill? = nil) -> ReplicaSubscriber {
                ReplicaSubscriber(user, found, digest: digest, after: revision, fill: fill)
            }
            func filling(_ reason: ReplicaStepKind.Reason) -> ReplicaFeed {
                let state = reader.state
                return ReplicaFeed(store: self, start: subscriber(ReplicaFill(at: state.revision, state.hash, reason)))
            }
            if let commit {
                guard commit.revision <= reader.state.revision else { return filling(.restored) }
                guard try log.read({ try $0.hash(of: commit.revision) }) == commit.hash else { return filling(.restored) }
            }
            guard let position, position.digest == digest else { return filling(.first) }
            guard position.revision <= reader.state.revision else { return filling(.restored) }
            let hash = try log.read { try $0.hash(of: position.revision) }
            guard position.matches(hash) else { return filling(.restored) }
            guard let place = position.filled else {
                return ReplicaFeed(store: self, start: subscriber(after: position.revision))
            }
            return ReplicaFeed(
                store: self, start: subscriber(ReplicaFill(at: position.revision, hash, .resumed, after: place)))
        }
    }

    /// Returns the steps of a replica of one class that is complete at a revision.
    func steps(of user: Name, class className: String, after revision: Revision) throws -> ReplicaFeed {
        try checkReplica(of: user)
        return try withReader { reader in
            try reader.requireRevision(revision)
            let found = try reader.replicatedClass(.class(className))
            let digest = ReplicaPosition.digest(of: user, [found.name])
            return ReplicaFeed(store: self, start: ReplicaSubscriber(user, [found], digest: digest, after: revision, fill: nil))
        }
    }

    private func checkReplica(of user: Name) throws {
        if let problem = user.problem { throw problem }
        guard user.kind == .caller || user.kind == .anonymous else {
            throw Refusal(.malformed, "`\(user)` cannot have a replica: name a user, a thing or `anonymous`")
        }
    }

    /// Advances a replica. If that fails, its feed ends.
    func look(_ subscriber: inout ReplicaSubscriber) -> Result<ReplicaSubscriber.AdvanceResult, NoticeFeedError> {
        advance(&subscriber) {
            if case .nothing = $0 { true } else { false }
        } by: {
            try $0.look($1, log, spans, now: options.clock())
        }
    }
}

extension IndexReader {
    /// Returns a class that is not built in.
    fileprivate func replicatedClass(_ name: Name) throws -> ReplicaSubscriber.NamedClass {
        if let problem = name.problem { throw problem }
        guard let id = try object(name).map({ ClassID($0) }), !id.isBuiltIn else {
            throw Refusal(.unknownClass, "the class `\(name)` does not exist, or is built in: name a class with objects")
        }
        return ReplicaSubscriber.NamedClass(name: name.id ?? "", id: id)
    }
}
