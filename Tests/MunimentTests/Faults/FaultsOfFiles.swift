import EventLog
import Events
import Files
import Foundation
import Hashing
import LMDB
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Faults: truncated, foreign, missing and old files")
struct FaultsOfFiles {
    private let options = StoreOptions(clock: { FaultHistory.now }, expiryRecording: .withCommits, mapBytes: 1 << 24)

    private func answers(_ path: String) throws -> [Bool] {
        let store = try Store.open(at: path, .reading, options: options)
        defer { try? store.close() }
        return try FaultHistory.questions.map { question in
            let moment: Moment = question.revision.map { .revision($0) } ?? question.instant.map { .time($0) } ?? .now
            return try store.read(at: moment) {
                try $0.check(question.subject, [question.privilege], on: question.object).isAllowed
            }
        }
    }

    /// The index is rebuilt: the file is a new one, and every answer is the same as before.
    private func expectFoldedAgain(_ path: String, _ right: [Bool], _ spoil: () throws -> Void) throws {
        let before = FileIdentity(path + "/index/data.mdb")
        // Kept open, so that the next file does not get the same inode number.
        let held = FileHandle(forReadingAtPath: path + "/index/data.mdb")
        defer { try? held?.close() }
        try spoil()
        #expect(try answers(path) == right)
        #expect(FileIdentity(path + "/index/data.mdb") != before)
        #expect(try Store.verify(at: path, options: options).problems == [])
    }

    @Test("A truncated log is a clear error without answers, and verify reports it", arguments: ["sealed", "open"])
    func cutOffLogs(state: String) throws {
        try withFaultStore { path, folder in
            if state == "open" { try removeFile(path + "/log/seal") }
            let whole = try FileBytes.read(path + "/log/data.mdb")
            let right = try answers(path)
            for length in stride(from: 0, to: whole.count, by: 1021) {
                try FileBytes.write(Array(whole[..<length]), to: path + "/log/data.mdb")
                let report = try Store.verify(at: path, options: options)
                // If the end is free and no other file records the log's end, nothing is missing.
                if report.isSound {
                    #expect(state == "open")
                    #expect(try answers(path) == right)
                } else {
                    #expect(throws: (any Error).self) { if try answers(path) == right { throw CancellationError() } }
                }
            }
            try FileBytes.write(whole, to: path + "/log/data.mdb")
            #expect(try answers(path) == right)
        }
    }

    @Test("A truncated index is rebuilt", arguments: ["sealed", "open"])
    func cutOffIndexes(state: String) throws {
        try withFaultStore { path, folder in
            if state == "open" { try removeFile(path + "/index/seal") }
            let right = try answers(path)
            try FileBytes.copyFolder(path, to: path + ".whole")
            let whole = try FileBytes.read(path + "/index/data.mdb")
            for length in stride(from: 0, to: whole.count, by: 5003) {
                try FileBytes.write(Array(whole[..<length]), to: path + "/index/data.mdb")
                #expect(try answers(path) == right)
                #expect(try Store.verify(at: path, options: options).problems == [])
                try FileBytes.copyFolder(path + ".whole", to: path)
            }
        }
    }

    @Test("Verify names consecutive damaged pages in one sentence")
    func damagedPages() throws {
        try withFaultStore { path, _ in
            var bytes = try FileBytes.read(path + "/log/data.mdb")
            try #require(bytes.count >= 6 * 4096)
            for page in [2, 3, 5] { bytes[page * 4096 + 100] ^= 0xFF }
            try FileBytes.write(bytes, to: path + "/log/data.mdb")
            let end = "of `\(path)/log/data.mdb`"
            #expect(
                try Store.verify(at: path, options: options).problems == [
                    "pages 2 to 3 \(end) were changed after the store was closed",
                    "page 5 \(end) was changed after the store was closed",
                ])
        }
    }

    @Test("An empty folder, or a folder with other files, is refused as a store and stays unchanged")
    func noStore() throws {
        let folder = try ScratchFolder()
        for access in [StoreAccess.reading, .writing] {
            let error = #expect(throws: StoreError.self) { try Store.open(at: folder.path, access) }
            #expect(error == .notAStore(path: folder.path))
            #expect(error?.description.contains("muniment init --store \(folder.path)") == true)
        }
        #expect(throws: StoreError.notAStore(path: folder.path)) { try Store.verify(at: folder.path) }
        #expect(throws: StoreError.notAStore(path: folder.path)) { try Store.rebuild(at: folder.path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A log with other content is refused, unchanged and reported by verify", arguments: [0, 10, 5000, 50_000])
    func anotherKindOfFile(bytes: Int) throws {
        let folder = try ScratchFolder()
        let file = try folder.folder("log") + "/data.mdb"
        let content = [UInt8](repeating: 0x20, count: bytes)
        try FileBytes.write(content, to: file)
        #expect(throws: (any Error).self) { try Store.open(at: folder.path, .reading) }
        #expect(try !Store.verify(at: folder.path).isSound)
        if bytes > 0 { #expect(throws: (any Error).self) { try Store.open(at: folder.path, .writing) } }
        #expect(throws: (any Error).self) { try Store.create(at: folder.path) }
        #expect(try FileBytes.read(file) == content)
    }

    @Test("E7: A store with a commit of a later format is refused with its version; nothing is lost")
    func laterFormat() throws {
        try withFaultStore { path, _ in
            try removeFile(path + "/log/seal")
            try rewriteLastRecord(path) { $0[0] = 2 }
            let before = try FileBytes.read(path + "/log/data.mdb")
            for access in [StoreAccess.reading, .writing] {
                let error = #expect(throws: LogError.self) { try Store.open(at: path, access) }
                #expect(error?.description.contains("format version 2") == true)
            }
            let problems = try Store.verify(at: path).problems
            #expect(problems.contains { $0.contains("format version 2") && $0.contains("use a later one") })
            #expect(try FileBytes.read(path + "/log/data.mdb") == before)
        }
    }

    @Test("E4: A missing index is rebuilt")
    func deletedIndex() throws {
        try withFaultStore { path, _ in
            let right = try answers(path)
            try expectFoldedAgain(path, right) { try removeFlatFolder(path + "/index") }
        }
    }

    @Test("E4: An index of another version is rebuilt")
    func otherVersion() throws {
        try withFaultStore { path, _ in
            let right = try answers(path)
            try expectFoldedAgain(path, right) {
                try removeFile(path + "/index/seal")
                try rewriteState(path) { $0[4] += 1 }
            }
        }
    }

    @Test("E4: An intact index of another store is refused: its commits may be those that the log lost")
    func foreignIndex() throws {
        try withFaultStore { path, folder in
            let right = try answers(path)
            let other = folder.path + "/other"
            let store = try Store.create(at: other, preset: .open, options: StoreOptions(clock: { FaultHistory.start }))
            try store.commit(Transaction("user:ann", [.defineClass("doc")]))
            for number in 0..<20 { try store.commit(Transaction("user:ann", [.createObject(Name("doc:\(number)"))])) }
            try store.close()
            try FileBytes.copyFolder(other + "/index", to: path + "/index")
            try expectRollback(path)
            try expectFoldedAgain(path, right) { _ = try Store.acceptRollback(at: path, options: options) }
        }
    }

    /// Checks that the store cannot be opened, and that `verify` says why.
    private func expectRollback(_ path: String) throws {
        for access in [StoreAccess.reading, .writing] {
            let error = #expect(throws: StoreError.self) { try Store.open(at: path, access, options: options) }
            #expect(error?.description.contains("was rolled back") == true, "\(error?.description ?? "")")
        }
        #expect(throws: StoreError.self) { try Store.rebuild(at: path, options: options) }
        #expect(throws: StoreError.self) { try Store.backup(at: path, to: path + "-backup", options: options) }
        for quick in [true, false] {
            let report = try Store.verify(at: path, quick: quick, options: options)
            #expect(report.problems.contains { $0.contains("was rolled back") }, "\(report.problems)")
        }
    }

    @Test(
        "E4: An older log is refused until the rollback is accepted and recorded; then it answers as it did at that time"
    )
    func restoredLog() throws {
        try withFaultStore { path, folder in
            let right = try answers(path)
            let copy = folder.path + "/copy"
            try FileBytes.copyFolder(path + "/log", to: copy)
            let store = try Store.open(at: path, .writing, options: options)
            try store.commit(Transaction("user:root", [.grant("user:bob", on: "doc:1", ["read", "update"])]))
            try store.close()
            #expect(try answers(path) != right)
            try FileBytes.copyFolder(copy, to: path + "/log")
            try expectRollback(path)
            // The file `head` still records the rollback after the index is deleted.
            try removeFlatFolder(path + "/index")
            try expectRollback(path)
            let accepted = try Store.acceptRollback(at: path, options: options)
            #expect(try answers(path) == right)
            #expect(try Store.verify(at: path, options: options).problems == [])
            #expect(throws: StoreError.notRolledBack(path: path)) { try Store.acceptRollback(at: path, options: options) }
            let again = try Store.open(at: path, options: options)
            defer { try? again.close() }
            var last: RecordedRefusal?
            try again.refusals { refusal, _ in last = refusal }
            #expect(last?.message == accepted.message)
            #expect(last?.message.contains("was rolled back: it had revision") == true)
            #expect(last?.number == accepted.record)
        }
    }

    @Test(
        "A log that lost its end while the store was open is refused, by the index or by the file `head`",
        arguments: ["index", "head"])
    func lostEndUnsealed(witness: String) throws {
        try withFaultStore { path, _ in
            let older = try FileBytes.read(path + "/log/data.mdb")
            let store = try Store.open(at: path, .writing, options: options)
            try store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:3")]))
            try store.close()
            try FileBytes.write(older, to: path + "/log/data.mdb")
            try removeFile(path + "/log/seal")
            if witness == "index" { try removeFile(path + "/head") } else { try removeFlatFolder(path + "/index") }
            try expectRollback(path)
        }
    }

    @Test("No flipped bit in the file `head` allows a rolled-back store to open, or changes its answers")
    func flippedHead() throws {
        try withFaultStore { path, _ in
            let whole = try FileBytes.read(path + "/head")
            for offset in whole.indices {
                var flipped = whole
                flipped[offset] ^= 1 << UInt8(offset % 8)
                try FileBytes.write(flipped, to: path + "/head")
                #expect(throws: StoreError.headIsDamaged(path: path)) { try Store.open(at: path, options: options) }
            }
        }
    }

    @Test("A log without its last commit before closing is refused, because acknowledged commits are missing")
    func lostEnd() throws {
        try withFaultStore { path, folder in
            let older = try FileBytes.read(path + "/log/data.mdb")
            let store = try Store.open(at: path, .writing, options: options)
            try store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:3")]))
            try store.close()
            try FileBytes.write(older, to: path + "/log/data.mdb")
            for access in [StoreAccess.reading, .writing] {
                let error = #expect(throws: LogError.self) { try Store.open(at: path, access, options: options) }
                #expect(error?.description.contains("was damaged or replaced") == true)
            }
            #expect(try !Store.verify(at: path).isSound)
        }
    }

    @Test("E4: An index that was open during a power loss is rebuilt")
    func otherBoot() throws {
        try withFaultStore { path, _ in
            let right = try answers(path)
            try expectFoldedAgain(path, right) {
                try removeFile(path + "/index/seal")
                try replaceFile(path + "/index/boot", with: Array("another start of the machine".utf8))
            }
        }
    }

    @Test(
        "E4: verify as the first command after a power loss reports an old index and no damage, for every state of the disk",
        arguments: ["older", "empty", "torn", "missing"])
    func verifyAfterPowerLoss(kept: String) throws {
        try withFaultStore { path, _ in
            let file = path + "/index/data.mdb"
            let older = try FileBytes.read(file)
            let store = try Store.open(at: path, .writing, options: options)
            try store.commit(Transaction("user:root", [.register("user:late")]))
            try store.close()
            let right = try answers(path)
            let whole = try FileBytes.read(file)
            try removeFile(path + "/log/seal")
            try removeFile(path + "/index/seal")
            try replaceFile(path + "/index/boot", with: Array("another start of the machine".utf8))
            switch kept {
            case "older": try FileBytes.write(older, to: file)
            case "empty": try FileBytes.write([], to: file)
            case "torn":
                try FileBytes.write(Array(whole[..<(whole.count / 2)]) + [UInt8](repeating: 0, count: whole.count / 2), to: file)
            default: try removeFile(file)
            }
            let report = try Store.verify(at: path, options: options)
            #expect(report.problems == [])
            #expect(report.notes.contains { $0.contains("is rebuilt") && $0.contains("next opened") }, "\(report.notes)")
            #expect(try answers(path) == right)
            #expect(try Store.verify(at: path, options: options).problems == [])
        }
    }

    @Test("Any flipped bit in the transaction number of a head page is reported by verify if nothing else confirms the log")
    func transactionNumbers() throws {
        try withFaultStore { path, _ in
            for name in ["/log/seal", "/head"] { try removeFile(path + name) }
            try removeFlatFolder(path + "/index")
            #expect(try Store.verify(at: path, options: options).problems == [])
            let whole = try FileBytes.read(path + "/log/data.mdb")
            for page in [0, 4096] {
                for (offset, bit) in (144..<152).flatMap({ offset in (0..<8).map { (page + offset, $0) } }) {
                    var flipped = whole
                    flipped[offset] ^= 1 << UInt8(bit)
                    try FileBytes.write(flipped, to: path + "/log/data.mdb")
                    #expect(try !Store.verify(at: path, options: options).isSound, "bit \(bit) of byte \(offset)")
                }
            }
            try FileBytes.write(whole, to: path + "/log/data.mdb")
            #expect(try Store.verify(at: path, options: options).problems == [])
        }
    }

    // MARK: Changes outside the store

    private func rewrite(
        _ environmentPath: String, table name: String?, _ body: ([UInt8], [UInt8], _ previous: [UInt8]?) throws -> [UInt8]
    ) throws {
        let environment = try Environment(path: environmentPath, options: EnvironmentOptions(mapBytes: 1 << 24, tableLimit: 8))
        defer { environment.close() }
        let table = try environment.table(name, creating: true)
        let view = try environment.beginReading()
        let cursor = try view.cursor(over: table)
        func row() -> (key: [UInt8], value: [UInt8]) {
            cursor.withRow { key, value in (key.indices.map { key[$0] }, value.indices.map { value[$0] }) }
        }
        #expect(try cursor.last())
        let last = row()
        let previous = try cursor.previous() ? row().value : nil
        cursor.close()
        view.end()
        let (key, value) = (last.key, try body(last.key, last.value, previous))
        let transaction = try environment.beginWriting()
        try transaction.put(value.span, in: table, for: key.span)
        try transaction.commit()
    }

    /// Changes the bytes of the last commit, and updates its hash.
    private func rewriteLastRecord(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
        try rewrite(path + "/log", table: nil) { _, value, previous in
            var bytes = Array(value.dropLast(Digest.byteCount))
            change(&bytes)
            let before = previous.flatMap { Digest(bytes: Array($0.suffix(Digest.byteCount))) } ?? .zero
            return bytes + Digest(chaining: before, bytes).bytes
        }
    }

    /// Changes the row of the index's state, and updates its checksum.
    private func rewriteState(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
        try rewrite(path + "/index", table: "state") { key, value, _ in
            var row = value
            change(&row)
            var checksum = Checksum(tag: 1)
            checksum.combine(key.span)
            checksum.combine(row.span.extracting(4..<row.count))
            for index in 0..<4 { row[index] = UInt8(truncatingIfNeeded: checksum.value >> UInt32(8 * index)) }
            return row
        }
    }
}
