import Events
import Foundation
import Histories
import Muniment
import TestSupport
import Testing

@Suite("Eight years of real permissions")
struct KubernetesTests {
    static let folder = TestSettings.shared + "/data/kubernetes-org"

    static let isThere: Bool = {
        let isThere = FileManager.default.fileExists(atPath: folder + "/commands.jsonl")
        if !isThere { print("skipped: the history of the Kubernetes organisations, because \(folder) does not exist") }
        return isThere
    }()

    @Test(
        "E4, E5, E6: the Kubernetes history gives all 4,240 answers exactly, 40 of them with 12,560 access changes",
        .enabled(if: isThere, "needs the history in ../shared/data/kubernetes-org, next to the repository"))
    func answers() throws {
        let questions = try String(contentsOfFile: Self.folder + "/answers.jsonl", encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("{") && $0.contains("\"ask\"") }
        #expect(questions.count == 4240)
        let changes = try questions.map { try JSONText.decode(Array($0.utf8)) }.filter { $0["ask"] == .string("accessChanges") }
        #expect(changes.count == 40)
        #expect(changes.reduce(0) { $0 + AccessRow.rows(ofAnswer: $1["answer"]).count } == 12_560)
        try withTemporaryFolder { (folder) throws in
            let path = folder + "/store"
            let summary = try HistoryImporter(into: path).run(file: Self.folder + "/commands.jsonl")
            #expect(summary.transactions == 2761)
            let store = try Store.open(at: path)
            var answered: [String] = []
            try QuestionFileAnswerer(store).answer(file: Self.folder + "/answers.jsonl") { answered.append($0) }
            try store.close()
            #expect(answered.count == questions.count)
            for (question, line) in zip(questions, answered) {
                let expected = try JSONText.decode(Array(question.utf8))["answer"]
                let found = try JSONText.decode(Array(line.utf8))["answer"]
                #expect(found == expected, "\(question.prefix(200))")
            }
        }
    }
}
