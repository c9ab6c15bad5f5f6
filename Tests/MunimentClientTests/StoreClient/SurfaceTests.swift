import Events
import Foundation
import TestSupport
import Testing

@testable import MunimentClient

/// The Swift client's part of `Tools/clients/surfaces.py`, which asks all surfaces the same questions.
@Suite("The Swift client answers the questions of a file", .timeLimit(.minutes(60)))
struct SurfaceTests {
    private static let file = ProcessInfo.processInfo.environment["MUNIMENT_QUESTIONS"]

    @Test("The answers of the questions in MUNIMENT_QUESTIONS are written next to them", .enabled(if: file != nil))
    func answers() async throws {
        let file = try #require(SurfaceTests.file)
        let asked = try JSONText.decode(Array(try Data(contentsOf: URL(filePath: file))))
        let connection = ServiceConnection(
            try ServiceAddress(try asked.text("address")), tokens: FixedToken(try asked.text("token")))
        let store = StoreClient(connection, store: try asked.text("store"))
        guard case .array(let questions)? = asked["questions"] else { throw Missing(name: "questions") }
        var answers: [JSONValue] = []
        for question in questions { answers.append(try await answer(question, store)) }
        try Data(try JSONText.encode(.array(answers))).write(to: URL(filePath: file + ".swift"))
    }

    private func answer(_ question: JSONValue, _ store: StoreClient) async throws -> JSONValue {
        func name(_ member: String) throws -> Name { Name(try question.text(member)) }
        let at = ReadPoint.time(try Instant(try question.text("at")))
        let kind = try question.text("ask")
        switch kind {
        case "who":
            let found = try await store.subjects(with: try question.text("privilege"), on: try name("object"), at: at).collected()
            return .array(found.map { .string($0.text) })
        case "what":
            let found = try await store.objects(of: try name("subject"), with: try question.text("privilege"), at: at).collected()
            return .array(found.map { .string($0.text) })
        case "check":
            let found = try await store.check(
                try name("subject"), try question.text("privilege"), on: try name("object"), at: at)
            return .bool(found.isAllowed)
        case "privileges":
            return .array(
                try await store.privileges(of: try name("subject"), on: try name("object"), at: at).privileges.map { .string($0) })
        case "explain":
            let found = try await store.explain(
                try name("subject"), [try question.text("privilege")], on: try name("object"), withProposals: false, at: at)
            let levels = found.levels.map { level in
                JSONValue.array([
                    .string(level.level), .array(level.missing.map { .string($0) }), .integer(Int64(level.paths.count)),
                    .integer(Int64(level.paths.reduce(0) { $0 + $1.steps.count })),
                ])
            }
            return .array([.bool(found.isAllowed), .array(levels)])
        case "history":
            let found = try await store.history(of: try name("name"), at: at).collected()
            return .array(
                found.map { .array([.integer(Int64(clamping: $0.revision.rawValue)), .integer(Int64($0.events.count))]) })
        case "diff":
            let found = try await store.differences(
                of: try name("name"), from: .time(try Instant(try question.text("from"))), to: at
            )
            .collected()
            return .array(
                found.map { difference in
                    .array([
                        .string(difference.name?.text ?? ""), .array(difference.gained.map { .string($0) }),
                        .array(difference.lost.map { .string($0) }),
                    ])
                })
        default: throw Missing(name: kind)
        }
    }

    private struct Missing: Error { let name: String }
}

extension JSONValue {
    fileprivate func text(_ name: String) throws -> String {
        guard case .string(let text)? = self[name] else { throw CocoaError(.keyValueValidation) }
        return text
    }
}
