import Events
import Foundation
import SQLite
import TestSupport
import Testing

@testable import MunimentReplica

@Suite("R17: a replica in an SQLite file")
struct SQLiteReplicaTests {
    /// A tenth of the schedules in memory: these sync to the disk.
    @Test("R17: the schedules keep their promises in a file, and no file has a value that the user lost")
    func schedulesInFiles() throws {
        for number in 0..<max(ScheduleTests.count / 10, 1) {
            let seed = TestSettings.firstSeed &+ UInt64(number)
            do {
                try withTemporaryFolder(onDisk: true) { folder in
                    let service = try SimulatedService(path: folder)
                    defer { try? service.close() }
                    var files = 0
                    var schedule = try Schedule(seed: seed, service) {
                        files += 1
                        try FileManager.default.createDirectory(
                            atPath: folder + "/\(files)", withIntermediateDirectories: false)
                        return try SQLiteReplicaStorage(path: folder + "/\(files)/replica")
                    }
                    try schedule.run(steps: 100) { client in try checkFiles(of: client, folder) }
                }
            } catch {
                Issue.record("MUNIMENT_SEED=\(seed) MUNIMENT_SCHEDULES=1: \(error)")
                return
            }
        }
    }

    /// Checks that the files have no value besides those of the confirmed state, the user's own transactions and the current step.
    private func checkFiles(of client: SimulatedClient<SQLiteReplicaStorage>, _ folder: String) throws {
        // The parts of a step that has not ended have values that are not confirmed yet.
        let names = Schedule<SQLiteReplicaStorage>.names + Schedule<SQLiteReplicaStorage>.newNames
        guard try names.allSatisfy({ try client.storage.staged($0) == nil }) else { return }
        var known: Set<String> = []
        for object in try client.confirmed().values { known.formUnion(FileBytes.marks(try JSONText.encode(object.value))) }
        let transactions =
            try client.storage.pending().map(\.changes)
            + client.storage.ended(after: TransactionID(0), limit: .max).map(\.changes)
        for change in transactions.joined() { known.formUnion(FileBytes.marks(try JSONText.encode(.object(change.json)))) }
        let number = client.user == "user:ann" ? 1 : 2
        for file in try FileBytes.files(below: folder + "/\(number)") {
            let lost = FileBytes.marks(file.bytes).subtracting(known)
            if !lost.isEmpty {
                throw SimulatedClient<SQLiteReplicaStorage>.Broken(
                    description: "\(file.path) has \(lost.sorted()), which the user may not read")
            }
        }
    }

    @Test("R17: a replica that is killed at any moment has one whole revision, and each transaction that was accepted")
    func killedAtAnyMoment() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let path = folder + "/replica"
            var random = SplitMix64(seed: TestSettings.firstSeed)
            var (written, ended): (Set<UInt64>, Set<UInt64>) = ([], [])
            var confirmed: UInt64 = 0
            for round in 0..<12 {
                let helper = try Helper.start(["replica-forever", path])
                for _ in 0..<random.number(1...25) {
                    let line = try #require(try helper.line())
                    let words = line.split(separator: " ")
                    let number = try #require(words.last.flatMap { UInt64($0) }, "\(line)")
                    switch words[0] {
                    case "written": #expect(written.insert(number).inserted, "the number \(number) was given twice")
                    case "ended": ended.insert(number)
                    default: confirmed = max(confirmed, number)
                    }
                }
                helper.kill()
                let storage = try SQLiteReplicaStorage(path: path)
                try expectWhole(storage, atLeast: confirmed, "round \(round)")
                let pending = Set(try storage.pending().map(\.id.rawValue))
                let known = Set(try storage.ended(after: TransactionID(0), limit: .max).map(\.id.rawValue))
                #expect(written.isSubset(of: pending.union(known)), "round \(round)")
                #expect(ended.isSubset(of: known), "round \(round)")
            }
        }
    }

    private func expectWhole(_ storage: SQLiteReplicaStorage, atLeast confirmed: UInt64, _ place: Comment) throws {
        guard let revision = try storage.header()?.confirmed?.revision.rawValue else {
            #expect(confirmed == 0, place)
            return #expect(try storage.objects(ofClass: "doc", after: nil, limit: 100).isEmpty, place)
        }
        #expect(revision >= confirmed, place)
        let objects = try storage.objects(ofClass: "doc", after: nil, limit: 100)
        #expect(objects.count == 20, place)
        #expect(objects.allSatisfy { $0.value["at"] == .integer(Int64(revision)) }, place)
    }

    @Test("R17: the memory of a replica does not grow with its size", .disabled(if: TestSettings.isSanitized))
    func memoryDoesNotGrow() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let used = try [1_000, 16_000].map { count in
                let result = try Helper.run(["replica-fill", folder + "/\(count)", "\(count)"])
                return try #require(
                    result.output.split(separator: " ").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) }, "\(result)")
            }
            print("memory of a replica with 1,000 objects: \(used[0]) KiB, with 16,000 objects of 1 KiB: \(used[1]) KiB")
            #expect(used[1] < used[0] + 12 * 1024)
        }
    }

    @Test("R17: a replica of another user, of another version or in use is not opened")
    func foreignFiles() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let storage = try SQLiteReplicaStorage(path: folder + "/replica")
            #expect(throws: (any Error).self) { try SQLiteReplicaStorage(path: folder + "/replica") }
            var machine = try ReplicaMachine(reading: storage, user: "user:ann", classes: ["doc"], session: "1")
            guard case .persist(let writes)? = try machine.handle(.write([.create("doc:a")]), at: .newYear, reading: storage).first
            else { throw ReplicaError.storage("nothing is written") }
            try storage.persist(writes)
            #expect(throws: ReplicaError.self) {
                try ReplicaMachine(reading: storage, user: "user:ben", classes: ["doc"], session: "2")
            }
            let other = try SQLiteDatabase(path: folder + "/other")
            try other.run("CREATE TABLE t (a); PRAGMA user_version = 9")
            #expect(throws: ReplicaError.self) { try SQLiteReplicaStorage(path: folder + "/other") }
        }
    }
}
