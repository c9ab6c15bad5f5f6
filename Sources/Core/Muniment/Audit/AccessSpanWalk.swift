internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// Follows the result of one query through the revisions. Each step goes directly to the next revision that can change the result.
struct AccessSpanWalk {
    let reader: IndexReader
    let log: LogReader
    let object: ObjectID
    let wanted: Privileges
    let span: ClosedRange<Revision>
    /// The first and last moment as times.
    let times: ClosedRange<Instant>
    /// The first revision of the object that the audience may read.
    let first: Revision
    let disclosure: Disclosure

    /// Returns the caller with this name, or nil if the name belongs to no caller.
    func caller(_ name: Name) throws -> PrincipalID? {
        switch name.kind {
        case .everyone: reader.unlistedUser
        case .role: try reader.number(of: name).map(PrincipalID.init(rawValue:))
        default: try reader.caller(name)
        }
    }

    /// A range of revisions with the same result.
    private struct Stretch {
        let begin: Revision
        var end: Revision
        let isAllowed: Bool
        let asAdministrator: Bool
    }

    func spans(of caller: PrincipalID, isRole: Bool = false) throws -> [AccessSpan] {
        var stretches: [Stretch] = []
        var revision = span.lowerBound
        let asAdministrator = disclosure.tellsAdministration(of: caller)
        while revision <= span.upperBound {
            reader.move(to: revision)
            let ground = try reader.access(
                of: caller, isRole: isRole, wanted, to: object, asAdministrator: asAdministrator)
            if let last = stretches.last, last.isAllowed == ground.isAllowed, last.asAdministrator == ground.isAdministrator {
                stretches[stretches.count - 1].end = ground.until
            } else {
                stretches.append(
                    Stretch(
                        begin: revision, end: ground.until, isAllowed: ground.isAllowed, asAdministrator: ground.isAdministrator))
            }
            revision = ground.until
        }
        var existedBefore = false
        if stretches.first?.isAllowed == true, span.lowerBound > first {
            reader.move(to: Revision(span.lowerBound.rawValue - 1))
            existedBefore = try reader.access(
                of: caller, isRole: isRole, wanted, to: object, asAdministrator: asAdministrator
            ).isAllowed
        }
        return try stretches.filter(\.isAllowed).compactMap { stretch in
            try accessSpan(stretch, caller, existedBefore: existedBefore && stretch.begin == span.lowerBound)
        }
    }

    private func accessSpan(_ stretch: Stretch, _ caller: PrincipalID, existedBefore: Bool) throws -> AccessSpan? {
        let begin = try reader.time(of: stretch.begin, in: log)
        let from = max(begin, times.lowerBound)
        let existedBefore = existedBefore || begin < from
        if stretch.end <= span.upperBound {
            return AccessSpan(
                begin: stretch.begin, from: from, existedBefore: existedBefore, end: stretch.end,
                until: try reader.time(of: stretch.end, in: log),
                asAdministrator: stretch.asAdministrator)
        }
        let until = try end(of: caller)
        if let until, until <= times.lowerBound { return nil }
        return AccessSpan(
            begin: stretch.begin, from: from, existedBefore: existedBefore, end: nil, until: until,
            asAdministrator: stretch.asAdministrator)
    }

    /// Returns when the access that a caller has at the head of the log expired, or nil if it has not expired.
    private func end(of caller: PrincipalID) throws -> Instant? {
        guard span.upperBound == reader.state.revision else { return nil }
        reader.move(to: span.upperBound)
        let subjects = disclosure.redacted(try reader.subjects(of: caller))
        return try reader.pendingEnds(by: times.upperBound).first { end in
            try !AccessRules(reader, at: end).verdict(for: subjects, on: object, wanted: wanted).allows(wanted)
        }
    }
}
