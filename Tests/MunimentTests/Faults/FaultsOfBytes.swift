import Foundation
import TestSupport
import Testing

/// Flips one bit at a time, in a separate process, because damage can crash LMDB.
@Suite("Faults: a flipped bit in a file of a store")
struct FaultsOfBytes {
    /// The density of the tested bytes: `MUNIMENT_FAULTS=200` tests every byte.
    static let density = ProcessInfo.processInfo.environment["MUNIMENT_FAULTS"].flatMap { Int($0) } ?? 1

    struct Case: CustomTestStringConvertible, Sendable {
        let part: String
        let state: String
        let step: Int
        var testDescription: String { "\(state) \(part)" }
    }

    static let cases = [
        Case(part: "index", state: "sealed", step: 397), Case(part: "index", state: "open", step: 173),
        Case(part: "log", state: "sealed", step: 79), Case(part: "log", state: "open", step: 53),
    ]

    @Test("E3: a flipped bit is found, repaired or harmless, and never allows a denied access", arguments: cases)
    func sweep(_ fault: Case) throws {
        try withFaultStore { path, folder in
            let size = try FileBytes.read("\(path)/\(fault.part)/data.mdb").count
            let outcomes = try sweep("sweep", path, fault, from: 0, to: size, step: max(1, fault.step / Self.density))
            #expect(outcomes.count >= size / fault.step)
            for (offset, outcome) in outcomes {
                #expect(!outcome.contains("WRONG") && !outcome.contains("UNSEEN"), "byte \(offset): \(outcome)")
            }
            // Without such outcomes, the test would not have reached the bytes in use.
            #expect(outcomes.contains { $0.outcome.hasPrefix("found") })
        }
    }

    @Test("E3: the same holds for every third byte of the pages that LMDB reads first", arguments: cases)
    func heads(_ fault: Case) throws {
        try withFaultStore { path, folder in
            for page in [0, 4096] {
                let outcomes = try sweep("sweep", path, fault, from: page, to: page + 156, step: 3)
                for (offset, outcome) in outcomes {
                    #expect(!outcome.contains("WRONG") && !outcome.contains("UNSEEN"), "byte \(offset): \(outcome)")
                }
            }
        }
    }

    @Test("One flipped bit anywhere in the log of a closed store is found by the quick verification")
    func everyByteOfTheLog() throws {
        try withFaultStore { path, folder in
            let size = try FileBytes.read(path + "/log/data.mdb").count
            let fault = Case(part: "log", state: "sealed", step: 7)
            let outcomes = try sweep("sweep-verify", path, fault, from: 0, to: size, step: max(1, fault.step / Self.density))
            #expect(outcomes.count >= size / fault.step)
            for (offset, outcome) in outcomes { #expect(outcome == "found", "byte \(offset)") }
        }
    }

    @Test("E3: a flipped bit under an open store never allows a denied access, and at worst ends the process with a message")
    func underReader() throws {
        try withFaultStore { path, folder in
            try FileBytes.copyFolder(path, to: path + ".pristine")
            let size = try FileBytes.read(path + "/index/data.mdb").count
            let fault = Case(part: "index", state: "sealed", step: 151)
            let outcomes = try sweep("sweep-reader", path, fault, from: 0, to: size, step: max(1, fault.step / Self.density))
            #expect(outcomes.count >= size / fault.step)
            for (offset, outcome) in outcomes { #expect(outcome != "WRONG YES", "byte \(offset)") }
        }
    }

    /// The result of each change. A process that stops because of a change must report the reason, with exit code 3. Otherwise it
    /// continues after the change.
    private func sweep(
        _ errand: String, _ path: String, _ fault: Case, from first: Int, to end: Int, step: Int
    ) throws -> [(offset: Int, outcome: String)] {
        var outcomes: [(offset: Int, outcome: String)] = []
        var start = first
        while start < end {
            let result = try Helper.run([errand, path, fault.part, fault.state, "\(start)", "\(end)", "\(step)"])
            var last = start
            for line in result.lines {
                let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
                if parts[0] == "at" { last = Int(parts[1]) ?? last }
                if let offset = Int(parts[0]) { outcomes.append((offset, parts[1])) }
            }
            if result.lines.last == "done" { return outcomes }
            #expect(result.exitCode == 3, "byte \(last): \(result.lines.last ?? "") \(result.error)")
            try #require(
                result.error.contains("muniment: the store's files are damaged"), "\(result.lines.last ?? "") \(result.error)")
            outcomes.append((last, "ended"))
            start = last + step
            try FileBytes.copyFolder(path + ".pristine", to: path)
        }
        return outcomes
    }
}

/// Passes the closed store of ``FaultHistory`` and a work folder to the body.
func withFaultStore(_ body: (_ path: String, _ folder: ScratchFolder) throws -> Void) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/store"
    let made = try Helper.run(["make", path])
    try #require(made.exitCode == 0, "\(made.output)\(made.error)")
    try body(path, folder)
}
