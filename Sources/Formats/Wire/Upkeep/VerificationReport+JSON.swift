package import Events
package import Muniment

extension VerificationReport {
    package var json: JSONObject {
        [
            "sound": .bool(isSound), "commits": .count(commits), "events": .count(events), "refusals": .count(refusals),
            "problems": .texts(problems), "notes": .texts(notes), "revision": head.map { .revision($0.revision) } ?? .null,
            "hash": .optional(head?.hash),
        ]
    }
}
