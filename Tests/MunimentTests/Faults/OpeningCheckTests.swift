import EventLog
import Events
import Foundation
import LMDB
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("The check of an opening")
struct OpeningCheckTests {
    private static let faults: [(what: String, apply: @Sendable (_ store: String) throws -> Void)] = [
        ("no store", { try FileManager.default.removeItem(atPath: $0) }),
        ("a lost log", { try FileManager.default.removeItem(atPath: $0 + "/log") }),
        ("an empty log", { try FileBytes.write([], to: $0 + "/log/data.mdb") }),
        ("no LMDB file", { try FileBytes.write(Array(repeating: 7, count: 20_000), to: $0 + "/log/data.mdb") }),
        (
            "a shortened log",
            { try FileBytes.write(Array(FileBytes.read($0 + "/log/data.mdb").prefix(8_192)), to: $0 + "/log/data.mdb") }
        ),
        ("a damaged record of the head", { try FileBytes.write(Array("1 2 3\n".utf8), to: $0 + "/head") }),
        ("a shared log", { try FileBytes.write([], to: $0 + "/shared") }),
        (
            "an older log, which only the index shows",
            { path in
                try FileManager.default.copyItem(atPath: path + "/log", toPath: path + "/older")
                let store = try Store.open(at: path, .writing)
                try store.commit(Transaction("user:root", [.register("user:bob")]))
                try store.close()
                try FileManager.default.removeItem(atPath: path + "/log")
                try FileManager.default.moveItem(atPath: path + "/older", toPath: path + "/log")
                try FileManager.default.removeItem(atPath: path + "/head")
            }
        ),
    ]

    private func makeStore(at path: String) throws {
        let store = try Store.create(at: path)
        try store.commit(Transaction("user:root", [.register("user:ann")]))
        try store.close()
    }

    /// The files below a folder with their content.
    private func files(of path: String) throws -> [String: Data?] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        return Dictionary(uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: path + "/" + $0)) })
    }

    @Test("A log that a later version has written, and a damaged index, are not reported as a damaged log")
    func otherErrors() {
        let later = [CodecError.unknownEvent(kind: 250, version: 1), .unknownFormat(version: 9)].map {
            LogError.unreadable(Revision(3), $0)
        }
        for error in later { #expect(UnusableStoreError(error, at: "data/default") == nil, "\(error)") }
        #expect(UnusableStoreError(LogError.unreadable(Revision(3), .truncated(offset: 4)), at: "data/default") != nil)
        for (folder, isDamage) in [("log", true), ("index", false)] {
            let error = StorageError(.corrupted, "read", path: "data/default/\(folder)", detail: "a page")
            #expect((UnusableStoreError(error, at: "data/default") != nil) == isDamage, "\(folder)")
        }
    }

    @Test("It throws the error of the opening, and changes no file", arguments: faults.indices)
    func errorOfOpening(index: Int) throws {
        let (folder, fault) = (try ScratchFolder(), OpeningCheckTests.faults[index])
        let path = folder.path + "/store"
        try makeStore(at: path)
        try fault.apply(path)
        let before = try files(of: folder.path)
        let found = try #require(throws: (any Error).self, "\(fault.what)") { try Store.checkOpening(at: path) }
        #expect(try files(of: folder.path) == before, "\(fault.what)")
        let thrown = try #require(throws: (any Error).self, "\(fault.what)") { try Store.open(at: path, .writing) }
        #expect("\(found)" == "\(thrown)", "\(fault.what)")
    }

    @Test("It accepts a store that can be opened, also without its index and lock files, and creates none of them")
    func sound() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeStore(at: path)
        try Store.checkOpening(at: path)
        for file in ["/log/lock.mdb", "/index", "/writer.lock"] { try FileManager.default.removeItem(atPath: path + file) }
        let before = try files(of: path)
        try Store.checkOpening(at: path)
        #expect(try files(of: path) == before)
    }

    @Test("It says why a store would take no changes")
    func takesNoChanges() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let (ahead, limited) = (systemClock().advanced(bySeconds: 86_400), StoreOptions(clockLimits: ClockLimits()))
        try Store.create(at: path, options: StoreOptions(clock: { ahead })).close()
        guard case .clockIsBehind(_, head: ahead)? = try Store.checkOpening(at: path, options: limited) else {
            Issue.record("the clock is not reported")
            return
        }
        try Store.create(at: folder.path + "/other").close()
        #expect(try Store.checkOpening(at: folder.path + "/other", options: limited) == nil)
    }

    @Test("It says which process writes to an open store")
    func open() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path)
        #expect { try Store.checkOpening(at: path) } throws: { error in
            guard case .heldByAnotherWriter(path, let holder)? = error as? StoreError else { return false }
            return holder.contains("process \(ProcessInfo.processInfo.processIdentifier)")
        }
        try store.close()
        try Store.checkOpening(at: path)
    }
}
