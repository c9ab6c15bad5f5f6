import Events
import Files
import Foundation
import Glibc
import LMDB
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Faults: folders that several processes use")
struct SharedFolderTests {
    private func makeStore(_ folder: ScratchFolder) throws -> String {
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc"), .createObject("doc:a")]))
        try store.close()
        return path
    }

    /// Locks the byte of a lock file with which LMDB marks a process as a reader, as a process with the same id in another container does.
    private func takeProcessID(in file: String) throws -> FileHandle {
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(getpid())
        range.l_len = 1
        // A lock of the open file, `F_OFD_SETLK`, which the overlay does not contain.
        try #require(unsafe fcntl(handle.fileDescriptor, 37, &range) == 0)
        return handle
    }

    @Test(
        "E3: a process id that another container uses is named with a remedy: not as damage, and the index is not folded again",
        arguments: ["log", "index"])
    func takenProcessID(environment: String) throws {
        let folder = try ScratchFolder()
        let path = try makeStore(folder)
        let index = path + "/index/data.mdb"
        let written = try FileManager.default.attributesOfItem(atPath: index)[.systemFileNumber] as? UInt64
        let other = try takeProcessID(in: "\(path)/\(environment)/lock.mdb")
        func isNamed(_ error: any Error) -> Bool {
            "\(error)".contains("another process with the same process id") && "\(error)".contains("docker run --pid=host")
        }
        func opening(_ access: StoreAccess) -> (any Error)? {
            do { try Store.open(at: path, access).close() } catch { return error }
            return nil
        }
        let (reading, writing) = (opening(.reading), opening(.writing))
        #expect(reading.map(isNamed) == true, "\(reading.map { "\($0)" } ?? "it opened")")
        #expect(writing.map(isNamed) == true, "\(writing.map { "\($0)" } ?? "it opened")")
        do {
            let report = try Store.verify(at: path)
            Issue.record("a report: \(report.problems)")
        } catch { #expect(isNamed(error), "\(error)") }
        #expect(try FileManager.default.attributesOfItem(atPath: index)[.systemFileNumber] as? UInt64 == written)
        try other.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("The folder of a killed verification is removed by the next one and the next writer, that of a running one by none")
    func leftByVerification() throws {
        let folder = try ScratchFolder()
        let path = try makeStore(folder)
        func leave(_ name: String) throws -> FileLock {
            let draft = path + "/verify-" + name
            try makeFolder(draft)
            try Data([1]).write(to: URL(filePath: draft + "/data.mdb"))
            return try FileLock(path: draft + "/verify.lock", holder: "process 1 (verify)")
        }
        func drafts() throws -> [String] { try fileNames(in: path).filter { $0.hasPrefix("verify-") }.sorted() }
        let running = try leave("running")
        defer { running.release() }
        try leave("killed").release()
        #expect(try drafts() == ["verify-killed", "verify-running"])
        #expect(try Store.verify(at: path).problems == [])
        #expect(try drafts() == ["verify-running"])
        try leave("killed").release()
        try Store.open(at: path, .writing).close()
        #expect(try drafts() == ["verify-running"])
    }
}
