internal import Events
internal import Permissions
internal import Projections

/// Finds the objects that may have changed for a user between two revisions: a superset.
struct ReplicaCandidates: Sendable {
    /// The revision before the first commit.
    let from: Revision
    /// The last commit that was examined.
    private(set) var through: Revision
    /// The objects to which the access may have changed.
    private(set) var accessed: Set<ObjectID> = []
    private(set) var written: Set<ObjectID> = []
    private var subscriber: NamedSubscriber
    /// The commit in progress.
    private var walk: AccessWalk?

    init(for user: Name, from revision: Revision) {
        (from, through) = (revision, revision)
        subscriber = NamedSubscriber(user)
    }

    var count: Int { accessed.count + written.count }
    /// Whether a commit was begun and not finished.
    var isInCommit: Bool { walk != nil }

    mutating func skip(through revision: Revision) { through = revision }

    mutating func begin(_ commit: Commit, classes: Set<ClassID>, _ reader: IndexReader) throws {
        for event in commit.events {
            switch event.effect {
            case .written(let object), .owner(_, let object):
                reader.move(to: commit.revision)
                // A later commit of the span can delete it.
                if let place = try reader.place(of: object), classes.contains(place.classID) { written.insert(object) }
            default: break
            }
        }
        walk = try AccessWalk(commit, for: &subscriber, reader)
        if walk == nil { through = commit.revision }
    }

    /// Continues with the commit in progress, for at most a number of objects.
    mutating func resume(_ limit: Int, _ reader: IndexReader) throws {
        // The copy in `self` would be copied again for each change.
        guard var walk = walk.take() else { return }
        if try walk.find(limit, reader, { accessed.insert($0) }) {
            self.walk = walk
        } else {
            through = walk.revision
        }
    }
}
