package import Events
internal import Muniment
package import Notices
internal import Permissions

extension Notice {
    /// Returns the notice as JSON.
    ///
    /// - Parameter time: the commit time of the notice's revision.
    package func json(at time: Instant) -> JSONObject {
        var members: JSONObject = [
            "revision": .revision(revision), "time": .time(time), "kind": .string(kind.rawValue), "object": .name(object),
            "wasAccessible": .bool(wasAccessible), "completesRevision": .bool(completesRevision),
        ]
        if kind == .privilegesChanged {
            members["gained"] = .texts(gained)
            members["lost"] = .texts(lost)
        }
        return members
    }
}
