package import Events
package import Muniment

extension Receipt {
    /// The result of a transaction: `revision` is null if nothing changed.
    package var json: JSONObject {
        ["head": .revision(head), "revision": revision.map(JSONValue.revision) ?? .null, "time": .time(time)]
    }
}
