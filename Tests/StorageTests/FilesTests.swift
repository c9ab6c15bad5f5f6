import Files
import Foundation
import TestSupport
import Testing

@Suite("Files: whole or not at all")
struct FilesTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test("A file that is replaced has the new bytes, and leaves no draft behind")
    func replacing() throws {
        let path = folder.path + "/file"
        try replaceFile(path, with: [1, 2, 3])
        try replaceFile(path, with: [4])
        #expect(try readFile(path) == [4])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test("Chunks are all as long as asked for, but for the last", arguments: [0, 1, 9, 10, 11, 25])
    func chunks(count: Int) throws {
        let path = folder.path + "/file"
        let bytes = (0..<count).map { UInt8($0) }
        try replaceFile(path, with: bytes)
        var chunks: [[UInt8]] = []
        try forEachChunk(of: path, chunkBytes: 10) { chunks.append($0.array) }
        #expect(chunks.flatMap { $0 } == bytes)
        #expect(chunks.dropLast().allSatisfy { $0.count == 10 })
    }

    @Test("A pipe, a folder or a device in the place of a file is an error at once", arguments: ["pipe", "folder", "device"])
    func notRegular(kind: String) throws {
        let path = kind == "device" ? "/dev/zero" : folder.path + "/file"
        if kind == "folder" { try makeFolder(path) }
        if kind == "pipe" { #expect(try ChildProcess(["mkfifo", path]).finish().exitCode == 0) }
        let errors = [
            #expect(throws: FileError.self) { try readFile(path) },
            #expect(throws: FileError.self) { _ = try SharedLines(path: path).read() },
            #expect(throws: FileError.self) { try copyFile(path, to: folder.path + "/copy") },
        ]
        for error in errors { #expect(error?.detail.contains("not a regular file") == true, "\(error?.description ?? "")") }
    }

    @Test("Two spellings of a path are one")
    func canonicalPaths() throws {
        #expect(canonicalPath(folder.path + "/./../" + folder.path.split(separator: "/").last!) == canonicalPath(folder.path))
        #expect(canonicalPath("/nowhere/at/all") == "/nowhere/at/all")
    }

    @Test(
        "A process that touches memory that is not there ends with exit code 3 and says what to do",
        arguments: [
            "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGTRAP", "SIGFPE",
        ])
    func damageHandler(signal: String) throws {
        let result = try Helper.run(["raise", signal])
        #expect(result.exitCode == 3)
        #expect(result.error.contains("muniment: the store's files are damaged"))
        #expect(result.error.contains("`muniment verify`, then `muniment rebuild`"))
    }
}
