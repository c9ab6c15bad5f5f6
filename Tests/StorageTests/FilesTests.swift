import Files
import Foundation
import TestSupport
import Testing

@Suite("Files: atomic replacement")
struct FilesTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test("A replaced file has the new bytes, and no temporary file remains")
    func replacing() throws {
        let path = folder.path + "/file"
        try replaceFile(path, with: [1, 2, 3])
        try replaceFile(path, with: [4])
        #expect(try readFile(path) == [4])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test("A planted link in place of the temporary file is not written through")
    func plantedLinks() throws {
        let (path, other) = (folder.path + "/file", folder.path + "/other")
        try replaceFile(other, with: [7])
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: other)
        try replaceFile(path, with: [1], mode: 0o644)
        #expect(try readFile(path) == [1] && readFile(other) == [7])
        #expect(fileMode(path) == 0o644 && fileMode(other) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "other"])
    }

    @Test("All chunks have the requested length, except the last", arguments: [0, 1, 9, 10, 11, 25])
    func chunks(count: Int) throws {
        let path = folder.path + "/file"
        let bytes = (0..<count).map { UInt8($0) }
        try replaceFile(path, with: bytes)
        var chunks: [[UInt8]] = []
        try forEachChunk(of: path, chunkBytes: 10) { chunks.append($0.array) }
        #expect(chunks.flatMap { $0 } == bytes)
        #expect(chunks.dropLast().allSatisfy { $0.count == 10 })
    }

    @Test("A pipe, a folder or a device instead of a file is an error at once", arguments: ["pipe", "folder", "device"])
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

    @Test("A line for a file that is moved away meanwhile is not added, also if the file is put back")
    func movedLines() throws {
        let (path, elsewhere) = (folder.path + "/lines", folder.path + "/elsewhere")
        let lines = SharedLines(path: path)
        let first = SharedLines.Addition(keptBytes: 0, lines: Array("0\na\n".utf8), head: Array("1\n".utf8))
        #expect(try lines.append({ _ in first }, then: { _ in }) == nil)
        let second = SharedLines.Addition(keptBytes: 4, lines: Array("b\n".utf8), head: Array("2\n".utf8))
        #expect(throws: FileError.self) {
            try lines.append {
                #expect($0 == Array("1\na\n".utf8))
                try renameFile(path, to: elsewhere)
                return second
            } then: { _ in
            }
        }
        try renameFile(elsewhere, to: path)
        #expect(try lines.read()?.bytes == Array("1\na\n".utf8))
    }

    @Test("Two spellings of a path are equal")
    func canonicalPaths() throws {
        #expect(canonicalPath(folder.path + "/./../" + folder.path.split(separator: "/").last!) == canonicalPath(folder.path))
        #expect(canonicalPath("/nowhere/at/all") == "/nowhere/at/all")
    }

    @Test(
        "A process that accesses unmapped memory ends with exit code 3 and prints what to do; a trap is reported as an internal error",
        arguments: [
            ("SIGSEGV", true), ("SIGBUS", true), ("SIGABRT", true), ("SIGFPE", true), ("SIGILL", false), ("SIGTRAP", false),
        ])
    func damageHandler(signal: String, isDamage: Bool) throws {
        let result = try Helper.run(["raise", signal])
        #expect(result.exitCode == 3)
        #expect(result.error.contains("`muniment verify`, then `muniment rebuild`") == isDamage)
        #expect(result.error.contains("muniment: internal error") != isDamage)
    }
}

@Suite("Files: the owner of what root creates")
struct FolderOwnerTests {
    @Test("Files and folders that root creates belong to the owner of their folder", .enabled(if: geteuid() == 0))
    func owner() throws {
        let folder = try ScratchFolder()
        let (own, other) = (folder.path + "/own", folder.path + "/other")
        for path in [own, other] { try makeFolder(path) }
        try FileManager.default.setAttributes([.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534], ofItemAtPath: other)
        for (path, user) in [(own, 0), (other, 65_534)] {
            try replaceFile(path + "/file", with: [1])
            try makeFolder(path + "/folder")
            try makePrivateFolder(path + "/private")
            try copyFile(path + "/file", to: path + "/copy")
            let nothing = SharedLines.Addition(keptBytes: 0, lines: [], head: [])
            try SharedLines(path: path + "/lines").append { _ in
                nothing
            } then: { _ in
            }
            for name in ["file", "copy", "folder", "private", "lines"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
                #expect(attributes[.ownerAccountID] as? Int == user, "\(path)/\(name)")
            }
        }
    }
}
