package import Events
package import Muniment

extension Receipt {
    /// What became of a transaction: `revision` is null where nothing changed.
    package var json: JSONObject {
        ["head": .revision(head), "revision": revision.map(JSONValue.revision) ?? .null, "time": .time(time)]
    }
}
