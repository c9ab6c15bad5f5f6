import Events
import Foundation
import Histories
import Muniment
import Notices
import Permissions
import StoreSupport
import TestSupport
import Testing

/// A change of a user's level on an object in one transaction.
struct AccessRow: Hashable {
    let id: String?
    let object: String?
    let before: String?
    let after: String?

    /// Returns the rows of an answer to `accessChanges`.
    static func rows(ofAnswer answer: JSONValue?) -> [AccessRow] {
        guard case .array(let commits)? = answer else { return [] }
        return commits.flatMap { commit -> [AccessRow] in
            guard case .array(let changes)? = commit["changes"] else { return [] }
            return changes.map { change in
                AccessRow(
                    id: text(commit["id"]), object: text(change["object"]), before: text(change["before"]),
                    after: text(change["after"]))
            }
        }
    }

    private static func text(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }
}

@Suite("Notices for eight years of real permissions")
struct KubernetesNoticeTests {
    @Test(
        "E6, F11, F13: the notices that 40 users received in eight years give exactly the 12,560 access changes of the snapshots",
        .enabled(if: KubernetesTests.isThere, "needs the history in ../shared/data/kubernetes-org, next to the repository"))
    func notices() throws {
        let questions = try String(contentsOfFile: KubernetesTests.folder + "/answers.jsonl", encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("{") && $0.contains("\"accessChanges\"") }
            .map { try JSONText.decode(Array($0.utf8)) }
        #expect(questions.count == 40)
        try withTemporaryFolder { (folder) throws in
            let path = folder + "/store"
            _ = try HistoryImporter(into: path).run(file: KubernetesTests.folder + "/commands.jsonl")
            let store = try Store.open(at: path)
            defer { try? store.close() }
            var ids: [Revision: String] = [:]
            try store.log(from: Revision(1), to: store.head.revision) { ids[$0.commit.revision] = $0.commit.origin.requestID }
            var count = 0
            for question in questions {
                guard case .string(let user)? = question["user"] else { continue }
                var subscriber = LevelSubscriber(Name(user), in: store, levels: try #require(try store.levels))
                let found = try subscriber.rows { ids[$0] }
                #expect(found == AccessRow.rows(ofAnswer: question["answer"]), "\(user)")
                #expect(subscriber.objects == (try store.read { try $0.objects(for: Name(user), with: ["read"]) }), "\(user)")
                count += found.count
            }
            #expect(count == 12_560)
        }
    }
}

/// A subscriber that applies notices, and reports the changed levels after each revision.
private struct LevelSubscriber {
    private let name: Name
    private let store: Store
    /// The levels, smallest first.
    private let levels: [AccessLevel]
    private var subscriber = FoldingSubscriber(at: .genesis, knowing: [:])

    init(_ name: Name, in store: Store, levels: [AccessLevel]) {
        (self.name, self.store) = (name, store)
        self.levels = levels.sorted { $0.privileges.count < $1.privileges.count }
    }

    /// The objects that the subscriber can read, according to its notices.
    var objects: [String] { subscriber.known.keys.sorted().map(\.text) }

    mutating func rows(id: (Revision) -> String?) throws -> [AccessRow] {
        var rows: [AccessRow] = []
        var before: [Name: String?] = [:]
        for notice in try store.notices(for: name, after: .genesis, through: store.head.revision) {
            if before[notice.object] == nil { before[notice.object] = .some(level(on: notice.object)) }
            try subscriber.take(notice) { object in
                (try? store.read(at: .revision(notice.revision)) { try $0.privileges(of: name, on: object) }) ?? []
            }
            guard notice.completesRevision else { continue }
            for (object, old) in before.sorted(by: { $0.key < $1.key }) where old != level(on: object) {
                rows.append(AccessRow(id: id(notice.revision), object: object.text, before: old, after: level(on: object)))
            }
            before = [:]
        }
        return rows
    }

    private func level(on object: Name) -> String? {
        guard let held = subscriber.known[object]?.privileges else { return nil }
        return levels.last { held.isSuperset(of: $0.privileges) }?.name
    }
}
