internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// Finds out whom a subscriber counts as, at one revision after another. Mostly that is the same as at the one before.
struct Viewpoint: Sendable {
    let subscriber: Name
    private var last: Viewer?

    init(_ subscriber: Name) { self.subscriber = subscriber }

    /// Whom the subscriber counts as at the revision that a reader looks at: nobody where it is a role that is not there.
    mutating func viewer(_ reader: IndexReader) throws -> Viewer {
        let subjects = try reader.caller(subscriber).map { try reader.subjects(of: $0) } ?? .nobody
        let strangers = try reader.subjects(of: .everyone)
        if let last, last.subjects === subjects, last.strangers === strangers { return last }
        let viewer = Viewer(subjects: subjects, strangers: strangers)
        last = viewer
        return viewer
    }
}

extension SubjectSet {
    fileprivate static let nobody = SubjectSet(caller: .anonymous, isAdministrator: false, members: [])
}
