internal import EventLog
internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// How far somebody who takes notices has come. It finds what is behind that in the log and the index; nothing else is kept for it.
struct NoticeSubscriber: Sendable {
    /// Everything up to here was delivered, or there was nothing to deliver.
    private(set) var revision: Revision
    private var viewpoint: Viewpoint
    /// The commit that is gone through.
    private var walk: AccessWalk?
    /// The last notice found of it: whether it is the last of all is not known before the walk is at its end.
    private var held: Notice?
    /// Objects to look at next: few at first, so that the first notice is there soon.
    private var limit = Self.firstLimit
    /// A commit that was handed over, with nothing that concerns the subscriber before it.
    private var handed: Commit?

    private static let firstLimit = 32
    private static let lastLimit = 2048
    /// Commits to read from the log next: few where the last ones concerned the subscriber, as only one is gone through at a time.
    private var span = Self.firstSpan

    private static let firstSpan: UInt64 = 2
    private static let lastSpan: UInt64 = 256

    /// What a look found.
    enum Sight {
        case notices([Notice])
        /// Nothing yet, and more to look at.
        case more
        /// Nothing up to the head. Only a commit that concerns somebody of these can bring something.
        case nothing(concerning: Set<UInt64>)
    }

    init(_ subscriber: Name, after revision: Revision) {
        self.revision = revision
        viewpoint = Viewpoint(subscriber)
    }

    /// Takes the next commit that can concern the subscriber from one who knows it.
    mutating func hand(_ commit: Commit) {
        if commit.revision > revision, walk == nil { handed = commit }
    }

    /// Goes on for a bounded piece of work.
    mutating func look(_ reader: IndexReader, _ log: EventLog) throws -> Sight {
        let head = reader.state.revision
        guard revision <= head else {
            throw StoreError.behindTheLog(why: "it ends at \(head), and revision \(revision) was read before")
        }
        if walk == nil, let commit = handed {
            handed = nil
            if commit.revision > revision, commit.revision <= head { try begin(commit, reader) }
        }
        if walk == nil, revision < head {
            let last = Revision(min(revision.rawValue + span, head.rawValue))
            var commits: [Commit] = []
            try log.read { try $0.forEachCommit(from: revision.next, to: last) { commit, _ in commits.append(commit) } }
            for commit in commits where walk == nil { try begin(commit, reader) }
            span = walk == nil ? min(span * 2, Self.lastSpan) : Self.firstSpan
        }
        if walk != nil { return .notices(try goOn(reader)) }
        guard revision == head else { return .more }
        reader.look(at: head)
        return .nothing(concerning: try Concern.keys(of: &viewpoint, reader))
    }

    /// Begins with a commit, or passes it where it does not concern the subscriber.
    private mutating func begin(_ commit: Commit, _ reader: IndexReader) throws {
        walk = try AccessWalk(commit, for: &viewpoint, reader)
        if walk == nil { revision = commit.revision }
        limit = Self.firstLimit
    }

    /// Goes on with the commit that is gone through; answers what it found so far and what is surely not the last.
    private mutating func goOn(_ reader: IndexReader) throws -> [Notice] {
        guard var walk else { return [] }
        let revision = walk.revision
        var found: [Notice] = []
        if let held { found.append(held) }
        let isMore = try walk.goOn(limit, reader) { step in
            try step.forEachNotice { kind, wasAccessible in
                found.append(try reader.notice(kind, of: step, at: revision, wasAccessible: wasAccessible))
            }
        }
        limit = min(limit * 2, Self.lastLimit)
        if isMore {
            held = found.popLast()
            self.walk = walk
        } else {
            if let last = found.popLast() { found.append(last.last) }
            held = nil
            self.revision = revision
            self.walk = nil
        }
        return found
    }
}

extension IndexReader {
    /// A notice of a step, in names.
    func notice(_ kind: Notice.Kind, of step: AccessStep, at revision: Revision, wasAccessible: Bool) throws -> Notice {
        let names = state.privilegeNames
        let isChange = kind == .privilegesChanged
        return Notice(
            revision: revision, kind: kind, object: Name(try name(of: step.object)),
            gained: isChange ? names.names(of: step.gained) : [], lost: isChange ? names.names(of: step.lost) : [],
            wasAccessible: wasAccessible)
    }
}
