internal import EventLog
internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// The position of a subscriber. It reads later changes from the log and the index; the store keeps no other state for it.
struct NoticeSubscriber: Sendable {
    /// The last processed revision: all notices up to it were delivered.
    private(set) var revision: Revision
    private var subscriber: NamedSubscriber
    /// The commit in progress.
    private var walk: AccessWalk?
    /// The last notice found in it. It is held back because it may be the last one of the revision, which is known only at the
    /// end of the walk.
    private var held: Notice?
    /// The number of objects to examine next: small at first, so that the first notice is delivered soon.
    private var limit = Self.firstLimit
    /// A commit that the feed handed over. No commit before it affects the subscriber.
    private var handed: Commit?

    private static let firstLimit = 32
    private static let lastLimit = 2048
    /// The number of commits to read from the log next: small if the last ones affected the subscriber, as each is processed
    /// separately.
    private var span = Self.firstSpan

    private static let firstSpan: UInt64 = 2
    private static let lastSpan: UInt64 = 256

    enum AdvanceResult {
        case notices([Notice])
        /// No notice yet, and more to examine.
        case more
        /// No notice up to the head. Only a commit that affects one of these subjects can cause one.
        case nothing(affecting: Set<UInt64>)
    }

    init(_ subscriber: Name, after revision: Revision) {
        self.revision = revision
        self.subscriber = NamedSubscriber(subscriber)
    }

    /// Takes what is known of the next commit that may affect the subscriber.
    mutating func take(_ wakening: Wakening) {
        guard walk == nil else { return }
        revision = max(revision, wakening.passed)
        if let commit = wakening.commit, commit.revision > revision { handed = commit }
    }

    /// Advances by a bounded amount of work.
    mutating func look(_ reader: IndexReader, _ log: EventLog) throws -> AdvanceResult {
        let head = reader.state.revision
        guard revision <= head else {
            throw StoreError.behindTheLog(why: "it ends at \(head), but revision \(revision) was read before")
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
        if walk != nil { return .notices(try resume(reader)) }
        guard revision == head else { return .more }
        reader.move(to: head)
        return .nothing(affecting: try AffectedSubscribers.keys(of: &subscriber, reader))
    }

    /// Begins with a commit, or skips it if it does not affect the subscriber.
    private mutating func begin(_ commit: Commit, _ reader: IndexReader) throws {
        walk = try AccessWalk(commit, for: &subscriber, reader)
        if walk == nil { revision = commit.revision }
        limit = Self.firstLimit
    }

    /// Continues with the commit in progress; returns the notices found so far, except for a possible last one.
    private mutating func resume(_ reader: IndexReader) throws -> [Notice] {
        guard var walk else { return [] }
        let revision = walk.revision
        var found: [Notice] = []
        if let held { found.append(held) }
        let isMore = try walk.resume(limit, reader) { step in
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
    /// Returns the notice of a step, with names.
    func notice(_ kind: Notice.Kind, of step: ObjectAccessChange, at revision: Revision, wasAccessible: Bool) throws -> Notice {
        let names = state.privilegeNames
        let isChange = kind == .privilegesChanged
        return Notice(
            revision: revision, kind: kind, object: Name(try name(of: step.object)),
            gained: isChange ? names.names(of: step.gained) : [], lost: isChange ? names.names(of: step.lost) : [],
            wasAccessible: wasAccessible)
    }
}

/// Determines the subjects of a subscriber at consecutive revisions. Usually they do not change between two revisions.
struct NamedSubscriber: Sendable {
    let name: Name
    private var last: SubscriberSubjects?
    /// The number of a user or thing, if the store knows it. It never changes.
    private var number: PrincipalID?

    init(_ name: Name) { self.name = name }

    /// Returns the subjects of the subscriber at the reader's revision: none for a role that does not exist.
    mutating func subjects(_ reader: IndexReader) throws -> SubscriberSubjects {
        let caller = try number ?? reader.caller(name)
        if name.kind == .caller, let caller, caller != reader.unlistedUser { number = caller }
        let subjects = try caller.map { try reader.subjects(of: $0) } ?? .nobody
        let unlisted = try reader.subjects(of: .everyone)
        if let last, last.subjects === subjects, last.unlisted === unlisted { return last }
        let all = SubscriberSubjects(subjects: subjects, unlisted: unlisted)
        last = all
        return all
    }
}

extension SubjectSet {
    fileprivate static let nobody = SubjectSet(caller: .anonymous, isAdministrator: false, members: [])
}
