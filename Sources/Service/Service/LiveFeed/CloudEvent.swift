internal import Events
internal import Muniment
internal import Notices
internal import Permissions
internal import Wire

/// An event of a store in the format of CloudEvents 1.0.
struct CloudEvent {
    let json: JSONObject

    private init(store: String, id: String, type: String, time: Instant, subject: String?, data: JSONValue) {
        var members: JSONObject = [
            "specversion": .string("1.0"), "id": .string(id), "source": .string("/v1/stores/\(store)"), "type": .string(type),
            "time": .time(time), "datacontenttype": .string("application/json"), "data": data,
        ]
        if let subject { members["subject"] = .string(subject) }
        json = members
    }

    /// Creates the event of a notice. The event's id is the same each time it is sent.
    ///
    /// - Parameters:
    ///   - notice: the notice.
    ///   - ordinal: the number of the notice among the subscriber's notices of its revision, from 1.
    ///   - subscriber: the subscriber who receives the notice.
    ///   - store: the name of the store.
    ///   - time: the time of the revision.
    init(_ notice: Notice, ordinal: Int, for subscriber: Name, in store: String, at time: Instant) {
        self.init(
            store: store, id: "\(store)/\(notice.revision)/\(subscriber)/\(ordinal)",
            type: "muniment.notice.\(notice.kind.rawValue)",
            time: time, subject: notice.object.text, data: .object(notice.json(at: time)))
    }

    /// Creates the event of a commit.
    init(_ described: DescribedCommit, in store: String) throws {
        let commit = described.commit
        self.init(
            store: store, id: "\(store)/\(commit.revision)", type: "muniment.commit", time: commit.time, subject: nil,
            data: try CommitDescription(described).json.with(["hash": .string(described.hash)]))
    }
}
