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

    /// Locks the byte of a lock file that marks a process as a reader, as a process with the same id in another container does.
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
        "E3: a process id that another container uses is reported with a remedy and not as damage, and the index is not folded again",
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
        for access in [StoreAccess.reading, .writing] {
            #expect { try Store.open(at: path, access).close() } throws: { isNamed($0) }
        }
        #expect { try Store.verify(at: path) } throws: { isNamed($0) }
        #expect(try FileManager.default.attributesOfItem(atPath: index)[.systemFileNumber] as? UInt64 == written)
        try other.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("The next verification and the next writer remove the folder of a killed verification, and not that of a running one")
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
