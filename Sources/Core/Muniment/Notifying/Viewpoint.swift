internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// Determines the subjects of a subscriber at consecutive revisions. Usually they do not change between two revisions.
struct Viewpoint: Sendable {
    let subscriber: Name
    private var last: Viewer?

    init(_ subscriber: Name) { self.subscriber = subscriber }

    /// Returns the subjects of the subscriber at the reader's revision: none for a role that does not exist.
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
