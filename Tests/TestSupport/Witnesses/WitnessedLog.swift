import Events
import Permissions

/// A log, and a check whether facts follow from its events. The check only reads each event in order.
struct WitnessedLog {
    let commits: [Commit]
    private let effects: [(place: EventPlace, effect: Effect)]

    init(_ commits: [Commit]) {
        self.commits = commits
        effects = LogEffects(commits).effects
    }

    /// Returns why a fact is false at a revision according to the cited event, or nil if it is true.
    func fault(in witnessed: WitnessedFact, at revision: Revision) -> String? {
        let (fact, citation) = (witnessed.fact, witnessed.citation)
        guard citation.revision <= revision, citation.revision.rawValue < UInt64(commits.count) else {
            return "\(fact) cites revision \(citation.revision), which \(revision) does not know"
        }
        let commit = commits[Int(citation.revision.rawValue)]
        guard commit.events.indices.contains(citation.index) else { return "\(fact) cites an event that is not there" }
        guard citation.kind == commit.events[citation.index].kind, citation.actor == commit.actor, citation.time == commit.time,
            citation.origin == commit.origin
        else { return "\(fact) cites something else than the log has" }
        let place = EventPlace(revision: citation.revision, index: citation.index)
        guard let since = made(fact, at: revision) else { return "\(fact) does not hold at revision \(revision)" }
        guard since.first <= place, since.all.contains(place) else { return "\(fact) was not made so by what it cites" }
        return nil
    }

    /// Returns the events that made a fact true and that no event has undone up to a revision, or nil if the fact is false then.
    private func made(_ fact: Fact, at revision: Revision) -> (first: EventPlace, all: Set<EventPlace>)? {
        if case .entry(let subject, let object, let privileges, let until) = fact {
            return madeEntry(subject, object, privileges, until, at: revision)
        }
        var places: [EventPlace] = []
        for (place, effect) in effects where place.revision <= revision {
            switch fact.change(by: effect) {
            case true?: places.append(place)
            case false?: places = []
            case nil: break
            }
        }
        return places.first.map { ($0, Set(places)) }
    }

    /// Replays one subject's entry on one object, privilege by privilege.
    private func madeEntry(
        _ subject: PrincipalID, _ object: ObjectID, _ privileges: Privileges, _ until: Instant, at revision: Revision
    ) -> (first: EventPlace, all: Set<EventPlace>)? {
        var held: [Privileges: (until: Instant, since: EventPlace)] = [:]
        var wildcard: EventPlace?
        var grants: Set<EventPlace> = []
        for (place, effect) in effects where place.revision <= revision {
            switch effect {
            case .granted(subject, object, let given, let end):
                if given.isSuperset(of: privileges), end == until { grants.insert(place) }
                if given == .all, end == .forever {
                    wildcard = wildcard ?? place
                } else if wildcard == nil {
                    for single in given.singles where held[single].map({ $0.until < end }) ?? true { held[single] = (end, place) }
                }
            case .revoked(subject, object, let taken, let known):
                if let since = wildcard, taken != .all { for single in known.singles { held[single] = (.forever, since) } }
                wildcard = nil
                for single in taken == .all ? Array(held.keys) : taken.singles { held[single] = nil }
            case .expired(subject, object, let taken): for single in taken.singles { held[single] = nil }
            case .objectEnded(object), .subjectEnded(subject):
                (held, wildcard) = ([:], nil)
            default: break
            }
        }
        var first = EventPlace(revision: .genesis, index: 0)
        for single in (0..<32).map({ Privileges(rawValue: 1 << UInt32($0)) }) where privileges.contains(single) {
            if let wildcard {
                guard until == .forever else { return nil }
                first = max(first, wildcard)
            } else {
                guard let (end, since) = held[single], end == until else { return nil }
                first = max(first, since)
            }
        }
        return (first, grants.filter { $0 >= first })
    }
}

extension Fact {
    /// Returns whether the effect makes the fact true or false, or nil if it does neither.
    fileprivate func change(by effect: Effect) -> Bool? {
        switch (self, effect) {
        case (.object(let object, let classID), .objectMade(let made, let itsClass)) where made == object: itsClass == classID
        case (.object(let object, _), .objectEnded(let ended)) where ended == object: false
        case (.child(let child, let parent), .placed(let placed, let below)) where placed == child: below == parent
        case (.child(let child, let parent), .objectEnded(let ended)) where ended == child || ended == parent: false
        case (.options(let classID, let options), .optionsSet(let set, let new)) where set == classID: new == options
        case (.member(let member, let role), .joined(let joined, let its)) where joined == member && its == role: true
        case (.member(let member, let role), .left(let left, let its)) where left == member && its == role: false
        case (.member(let member, let role), .subjectEnded(let ended)) where ended == member || ended == role: false
        case (.permission(let permission, let subject, let privileges), .permissionSet(let set, let its, let new))
        where set == permission: its == subject && new.isSuperset(of: privileges)
        case (.permission(let permission, _, _), .objectEnded(let ended)) where ended == ObjectID(permission): false
        case (.attachment(let permission, let object), .attached(let its, let to)) where its == permission && to == object: true
        case (.attachment(let permission, let object), .detached(let its, let from)) where its == permission && from == object:
            false
        case (.attachment(let permission, let object), .objectEnded(let ended))
        where ended == object || ended == ObjectID(permission): false
        case (.link(let source, let target), .linked(let linking, let targets)) where linking == source: targets.contains(target)
        case (.link(let source, _), .objectEnded(let ended)) where ended == source: false
        case (.administrator(let principal), .appointed(let appointed)) where appointed == principal: true
        case (.administrator(let principal), .dismissed(let dismissed)) where dismissed == principal: false
        default: nil
        }
    }
}
