import Foundation
import ServiceSupport
import Testing

/// Explanations that would be very large, or that would tell who administers the store.
@Suite("Hostile: explanations", .timeLimit(.minutes(60)))
struct ExplanationLimitTests {
    @Test("A hundred explanations with thousands of paths have a bounded size, and say that they are incomplete")
    func size() async throws {
        try await withFirm(isLive: false) { firm in
            var changes = [
                #"{"op":"defineClass","class":"folder","inherits":true}"#,
                #"{"op":"grant","subject":"everyone","object":"class:folder","privileges":["read"]}"#,
                #"{"op":"createObject","object":"folder:d0"}"#,
            ]
            changes += (1..<40).map { #"{"op":"createObject","object":"folder:d\#($0)","parent":"folder:d\#($0 - 1)"}"# }
            changes += (0..<40).flatMap { folder in
                ["user:bob", "everyone"].map {
                    #"{"op":"grant","subject":"\#($0)","object":"folder:d\#(folder)","privileges":["read"]}"#
                }
            }
            try await firm.commit(changes.joined(separator: ","))
            let question = #"{"subject":"user:bob","privilege":"read","object":"folder:d39"}"#
            let one = try await firm.json("POST", "/explain", json: question)
            #expect(one.flag("allowed") == true && one.flag("complete") == true)
            let all = "{\"questions\":[\(Array(repeating: question, count: 100).joined(separator: ","))]}"
            let answer = try await firm.send("POST", "/explanations", json: all)
            let explanations = try answer.json.list("explanations")
            #expect(explanations.count == 100 && explanations.allSatisfy { $0.flag("allowed") == true })
            #expect(explanations.allSatisfy { $0.flag("complete") == false })
            #expect(answer.text.utf8.count < 20_000_000, "\(answer.text.utf8.count)")
        }
    }

    @Test("Proposals do not tell who administers the store")
    func administrators() async throws {
        try await withFirm(isLive: false) { firm in
            try await firm.commit(#"{"op":"register","principal":"user:carl"}"#)
            let ann = try firm.act(as: "user:ann")
            func proposals(_ subject: String, _ token: String?) async throws -> String {
                let question = #"{"subject":"\#(subject)","privilege":"delete","object":"doc:plan"}"#
                let answer = try await firm.json("POST", "/explain", token: token, json: question)
                return answer.list("proposals").map { "\($0)" }.joined().replacingOccurrences(of: subject, with: "SUBJECT")
            }
            let carl = try await proposals("user:carl", ann)
            #expect(try await proposals("user:root", ann) == carl && carl.contains("SUBJECT"))
            // A caller that may ask everything learns that the administrator needs no change.
            #expect(try await proposals("user:root", nil).isEmpty)
        }
    }
}
