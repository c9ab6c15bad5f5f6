import Files
import Foundation
import TestSupport
import Testing

@Suite("Files: the writer lock")
struct FileLockTests {
    let folder: ScratchFolder
    var path: String { folder.path + "/writer.lock" }

    init() throws { folder = try ScratchFolder() }

    @Test("A second holder is refused at once, and the error names the first holder")
    func secondHolder() throws {
        let lock = try FileLock(path: path, holder: "process 4711 (muniment import)")
        let refusal = #expect(throws: FileLock.HeldError.self) { try FileLock(path: path, holder: "another") }
        #expect(refusal?.holder == "process 4711 (muniment import)")
        #expect(FileLock.isHeld(path: path))
        lock.release()
        #expect(!FileLock.isHeld(path: path))
        try FileLock(path: path, holder: "another").release()
    }

    @Test("A second release leaves a new lock with the same descriptor number alone")
    func releasedTwice() throws {
        for _ in 0..<200 {
            let lock = try FileLock(path: path, holder: "first")
            lock.release()
            let next = try FileLock(path: path, holder: "second")
            lock.release()
            #expect(FileLock.isHeld(path: path))
            #expect(FileLock.holder(of: path) == "second")
            next.release()
        }
    }

    @Test("Checking the lock never makes an attempt to take it fail")
    func askingTakesNothing() throws {
        try FileLock(path: path, holder: "first").release()
        let path = path
        let asker = TestThread { for _ in 0..<3000 { _ = FileLock.isHeld(path: path) } }
        for _ in 0..<1000 { try FileLock(path: path, holder: "me").release() }
        try asker.join()
    }

    @Test("The lock is released when its process ends, even if it is killed")
    func releasedWithTheProcess() throws {
        let helper = try Helper.start(["hold-lock", path])
        #expect(try helper.line() == "held")
        let refusal = #expect(throws: FileLock.HeldError.self) { try FileLock(path: path, holder: "me") }
        #expect(refusal?.holder.contains("\(helper.processIdentifier)") == true)
        helper.kill()
        try FileLock(path: path, holder: "me").release()
    }

    @Test("A folder where the file cannot be created gives a clear error")
    func noFolder() {
        let error = #expect(throws: FileError.self) { try FileLock(path: "/nonexistent/lock", holder: "me") }
        #expect(error?.description == "cannot open `/nonexistent/lock`: No such file or directory")
    }
}
