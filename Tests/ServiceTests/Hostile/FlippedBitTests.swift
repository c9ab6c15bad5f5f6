import Credentials
import Events
import Files
import Foundation
import Muniment
import Permissions
import RandomHistories
import Service
import ServiceSupport
import TestSupport
import Testing

/// Separate processes flip bits in the LMDB files, in `FaultsOfBytes`.
@Suite("Hostile: a bit is flipped in a file of the data directory")
struct FlippedBitTests {
    /// A data directory, and the requests to it.
    private struct Place {
        let path: String
        let settings: ServiceSettings
        /// The tokens by their rights.
        var tokens: [String: String] = [:]

        init(at path: String) throws {
            self.path = path
            let options = StoreOptions(clock: { .newYear.later(seconds: 500) }, expiryRecording: .withCommits)
            settings = ServiceSettings(
                dataDirectory: path, clock: { .newYear.later(seconds: 500) }, storeOptions: options, report: { _ in })
        }

        private static let questions = ["ann", "bob", "cem"].map {
            #"{"subject":"user:\#($0)","privilege":"read","object":"doc:1"}"#
        }

        /// Whether each request is allowed, by token and by subject. An error counts as denied.
        func answers() async throws -> [String: Bool] {
            guard let service = try? MunimentService(settings) else { return [:] }
            defer { try? service.close() }
            let door = InProcessClient(service)
            var answers: [String: Bool] = [:]
            for (name, token) in tokens {
                answers["\(name) lists"] = try await door.send("GET", "/v1/stores/default", token: token).status == 200
                let change = #"{"as":"user:root","do":[{"op":"register","principal":"user:dan"}]}"#
                answers["\(name) writes"] =
                    try await door.send("POST", "/v1/stores/default/transactions", token: token, json: change).status == 200
                for question in Self.questions {
                    let answer = try await door.send("POST", "/v1/stores/default/check", token: token, json: question)
                    answers["\(name): \(question)"] = answer.status == 200 && answer.text.contains("\"allowed\":true")
                }
            }
            return answers
        }
    }

    /// Makes a data directory with a store, with granted and revoked access, and with valid, revoked and expired tokens.
    private func make(at path: String) async throws -> Place {
        var place = try Place(at: path)
        let service = try MunimentService(place.settings)
        let registry = TokenRegistry(dataDirectory: path)
        let start = Instant.newYear
        for (name, right) in [("administrator", Right.administer), ("asker", .ask)] {
            place.tokens[name] = try registry.create(stores: .all, right: right, at: start).secret
        }
        place.tokens["expired"] = try registry.create(
            stores: .all, right: .administer, until: start.later(seconds: 100), at: start
        ).secret
        let (secret, token) = try registry.create(stores: .all, right: .administer, at: start)
        try registry.revoke(id: token.id, at: start)
        place.tokens["revoked"] = secret
        let changes = #"""
            {"as":"user:root","do":[{"op":"defineClass","class":"doc"},{"op":"register","principal":"user:ann"},
            {"op":"register","principal":"user:bob"},{"op":"register","principal":"user:cem"},{"op":"createObject","object":"doc:1"},
            {"op":"grant","subject":"everyone","object":"store","privileges":["read"]},
            {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read"]},
            {"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"]},
            {"op":"grant","subject":"user:bob","object":"doc:1","privileges":["read"]},
            {"op":"revoke","subject":"user:bob","object":"doc:1"}]}
            """#
        let made = try await InProcessClient(service).send(
            "POST", "/v1/stores/default/transactions", token: place.tokens["administrator"], json: changes)
        #expect(made.status == 200, "\(made.text)")
        try service.close()
        return place
    }

    @Test("No flipped bit outside the LMDB files allows a denied request, revives a token or extends its rights")
    func flips() async throws {
        let folder = try ScratchFolder()
        let place = try await make(at: folder.path + "/whole")
        let copy = folder.path + "/copy"
        var random = SplitMix64(seed: TestSettings.firstSeed &+ 19_000_000)
        let pristine = folder.path + "/pristine"
        try FileBytes.copyFolder(place.path, to: pristine)
        let right = try await place.answers()
        #expect(right["revoked lists"] == false && right["expired lists"] == false && right["administrator writes"] == true)
        #expect(right.filter { $0.key.contains("ann") && $0.value }.count == 2)
        #expect(right.filter { !$0.key.contains("ann") && $0.key.contains("user:") && $0.value }.isEmpty)
        let files = try FileBytes.files(below: pristine).filter { !$0.path.hasSuffix(".mdb") && !$0.bytes.isEmpty }
        #expect(files.contains { $0.path.hasSuffix("tokens.jsonl") } && files.contains { $0.path.hasSuffix("log/seal") })
        var counts: [String: Int] = [:]
        var flips = 0
        for file in files {
            // Every bit of a file that has no more bits than that.
            for bit in (0..<file.bytes.count * 8).shuffled(using: &random).prefix(TestSettings.flipCount) {
                flips += 1
                let (offset, bit) = (bit / 8, bit % 8)
                try FileBytes.copyFolder(pristine, to: copy)
                try FileBytes.flip(copy + "/" + file.path, at: offset, mask: 1 << UInt8(bit))
                var flipped = try Place(at: copy)
                flipped.tokens = place.tokens
                let answers = try await flipped.answers()
                let widened = answers.filter { $0.value && right[$0.key] != true }
                #expect(widened.isEmpty, "bit \(bit) of byte \(offset) of \(file.path): \(widened.keys.sorted())")
                if answers != right { counts[file.path, default: 0] += 1 }
            }
        }
        print(
            "flipped \(flips) bits in \(files.count) files, at most \(TestSettings.flipCount) in each; noticed or refused: \(counts.sorted { $0.key < $1.key })"
        )
    }
}
