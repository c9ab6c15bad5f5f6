import Events
import Files
import Foundation
import Muniment

/// Changes one byte of a store's file at a time, and reports each result in a line `OFFSET OUTCOME`.
///
/// Before each change it reports `at OFFSET`, so that the caller can continue from there if this process ends.
struct Sweep {
    let path: String
    /// `log` or `index`.
    let part: String
    /// Whether the seals stay, as in a closed store. Otherwise the store looks as after a crash of its writer.
    let isSealed: Bool
    let offsets: StrideTo<Int>

    private var file: String { "\(path)/\(part)/data.mdb" }
    private var pristine: String { path + ".pristine" }

    /// Runs all queries after each change.
    func run() throws {
        if !isSealed {
            try removeFile(path + "/log/seal")
            try removeFile(path + "/index/seal")
            try replaceFile(path + "/index/boot", with: bootIdentity())
        }
        try copyFolder(path, to: pristine)
        let expected = (answers: try FaultStore.answers(at: path), refusals: try FaultStore.refusals(at: path))
        try restore()
        let sound = try Store.verify(at: path, options: FaultStore.options)
        guard sound.isSound else { return FaultHelper.say("unsound \(sound.problems)") }
        for offset in offsets {
            FaultHelper.say("at \(offset)")
            try flip(offset)
            FaultHelper.say("\(offset) \(try outcome(expected, head: sound.head))")
            try restore()
        }
        FaultHelper.say("done")
    }

    /// Checks only whether a quick verification finds each change.
    func verifyOnly() throws {
        for offset in offsets {
            FaultHelper.say("at \(offset)")
            try flip(offset)
            let report = try Store.verify(at: path, quick: true, options: FaultStore.options)
            FaultHelper.say("\(offset) \(report.isSound ? "UNSEEN" : "found")")
            try flip(offset)
        }
        FaultHelper.say(try Store.verify(at: path, options: FaultStore.options).isSound ? "done" : "unsound")
    }

    /// Runs all queries after each change, on a store that was opened before.
    func runUnderReader() throws {
        let store = try Store.open(at: path, .reading, options: FaultStore.options)
        let expected = FaultStore.answers(store)
        for offset in offsets {
            FaultHelper.say("at \(offset)")
            try flip(offset)
            let answers = FaultStore.answers(store)
            try flip(offset)
            let isWrong = zip(answers, expected).contains { $0 == .yes && $1 != .yes }
            FaultHelper.say("\(offset) \(isWrong ? "WRONG YES" : answers == expected ? "right" : "found")")
        }
        FaultHelper.say("done")
    }

    private func outcome(
        _ expected: (answers: [FaultStore.Answer], refusals: [RecordedRefusal]), head: StoreHead?
    ) throws -> String {
        let report = try Store.verify(at: path, options: FaultStore.options)
        let found = report.isSound ? "" : "found "
        let identity = FileIdentity(path + "/index/data.mdb")
        let answers: [FaultStore.Answer]
        do { answers = try FaultStore.answers(at: path) } catch { return found + "refused: \(error)" }
        for (index, (answer, right)) in zip(answers, expected.answers).enumerated() where answer == .yes && right != .yes {
            return "WRONG YES to question \(index)"
        }
        let healed = FileIdentity(path + "/index/data.mdb") == identity ? "" : "healed "
        let refusals = try? FaultStore.refusals(at: path)
        if report.isSound, refusals != expected.refusals { return "UNSEEN: other refusals" }
        if answers == expected.answers, report.isSound, healed.isEmpty {
            return report.head?.hash == head?.hash ? "harmless" : "UNSEEN: another head"
        }
        if answers == expected.answers { return found + healed + "right" }
        let failed = answers.contains { if case .failed = $0 { true } else { false } }
        guard !found.isEmpty else { return "UNSEEN: \(failed ? "failures" : "wrong noes")" }
        return found + (failed ? "failed" : "wrong noes")
    }

    /// Flips one bit of the byte at the offset. A second call restores it.
    private func flip(_ offset: Int) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ 1 << UInt8((offset / 5) % 8)]))
    }

    private func restore() throws { try copyFolder(pristine, to: path) }

    private func copyFolder(_ from: String, to: String) throws {
        if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }
}
