import DiskWitness
import Events
import Files
import Glibc
import Histories
import Muniment
import Permissions

/// What a writing process does until something stops it.
struct StoreErrands {
    let path: String

    /// Makes a pair of objects a transaction, until the disk takes no more, and says how many pairs were acknowledged.
    ///
    /// - Parameters:
    ///   - limit: bytes to which files may grow; nil for as many as the disk has room for.
    ///   - bytes: of comment and request id in each transaction: many make the log grow faster than the index.
    func fill(limit: Int?, commentBytes bytes: Int) throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 26))
        FileSizeLimit.set(limit)
        var acknowledged = 0
        do {
            while acknowledged < 20_000 {
                try store.commit(pair(acknowledged, commentBytes: bytes))
                acknowledged += 1
            }
        } catch { FaultHelper.say("failed \(error)") }
        FaultHelper.say("acknowledged \(acknowledged)")
        do {
            try store.commit(pair(acknowledged + 1, commentBytes: 0))
            FaultHelper.say("again accepted")
        } catch { FaultHelper.say("again \(error)") }
        let revision = try store.head.revision
        do {
            let sees = try store.read(at: .revision(Revision(revision.rawValue - 1))) { try $0.exists("doc:a0") }
            FaultHelper.say("reads \(sees)")
        } catch { FaultHelper.say("reads \(error)") }
        do { try store.close() } catch { FaultHelper.say("closing \(error)") }
    }

    /// Makes an object while the process has no free descriptor, and another one once it has.
    func writeWithoutDescriptors() throws {
        let store = try Store.open(at: path, .writing, options: StoreOptions(recordsEnds: .withCommits))
        var taken: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        for word in ["without", "with"] {
            do {
                try store.commit(Transaction("user:root", [.createObject(Name("doc:\(word)"))]))
                FaultHelper.say("\(word) accepted")
            } catch { FaultHelper.say("\(word) \(error)") }
            for descriptor in taken { Glibc.close(descriptor) }
            taken = []
        }
        try store.close()
    }

    /// Makes an object while the disk fails once, and others after that; says which writes of the log the system saw.
    func writeWithFailedSync() throws {
        let store = try Store.open(at: path, .writing, options: StoreOptions(recordsEnds: .withCommits))
        func attempt(_ word: String) {
            do {
                try store.commit(Transaction("user:root", [.createObject(Name("doc:\(word)"))]))
                FaultHelper.say("\(word) accepted")
            } catch { FaultHelper.say("\(word) \(error)") }
        }
        attempt("before")
        failNextSync(EIO)
        attempt("failed")
        tellOfTheDisk()
        attempt("again")
        FaultHelper.say("shows \(try store.read { try $0.exists("doc:failed") })")
        do { try store.close() } catch { FaultHelper.say("closing \(error)") }
    }

    /// Opens the store with more and more free descriptors until that succeeds, and says why it did not before.
    func openWithoutDescriptors() throws {
        for free in 0..<64 {
            var taken: [Int32] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            for descriptor in taken.suffix(free) { Glibc.close(descriptor) }
            let opened = Result { try Store.open(at: path, .writing, options: StoreOptions(recordsEnds: .withCommits)) }
            for descriptor in taken.dropLast(free) { Glibc.close(descriptor) }
            switch opened {
            case .failure(let error):
                if case StoreError.lacksResources = error {
                    FaultHelper.say("lacks \(free)")
                } else {
                    FaultHelper.say("failed \(free): \(error)")
                }
            case .success(let store):
                FaultHelper.say("opened \(free)")
                return try store.close()
            }
        }
    }

    /// Has long changes refused until the disk takes no more, and says how many refusals were told.
    func fillWithRefusals(limit: Int) throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 26))
        FileSizeLimit.set(limit)
        let change = Change.createObject("none:1", value: .string(String(repeating: "x", count: 5000)))
        var told = 0
        do {
            while told < 20_000 {
                do { try store.commit(Transaction("user:root", [change])) } catch is Refusal { told += 1 }
            }
        } catch { FaultHelper.say("failed \(error)") }
        FaultHelper.say("told \(told)")
        do { try store.commit(Transaction("user:root", [change])) } catch { FaultHelper.say("again \(error)") }
        do { try store.commit(pair(0, commentBytes: 0)) } catch { FaultHelper.say("commit \(error)") }
        FaultHelper.say("reads \(try store.refusalCount)")
        do { try store.close() } catch { FaultHelper.say("closing \(error)") }
    }

    private func pair(_ number: Int, commentBytes bytes: Int) -> Transaction {
        let text = bytes == 0 ? nil : String(repeating: "x", count: bytes)
        return Transaction(
            "user:root", [.createObject(Name("doc:a\(number)")), .createObject(Name("doc:b\(number)"))],
            origin: Origin(requestID: text, comment: text))
    }

    /// Commits pairs for ever, and says each revision once it is acknowledged.
    func commitForever() throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 24))
        var number = 0
        while true {
            let receipt = try store.commit(pair(number, commentBytes: 0))
            FaultHelper.say("\(receipt.revision?.rawValue ?? 0)")
            number += 1
        }
    }

    /// Commits a pair and has another change refused, says each when it is done, and meanwhile what goes to the disk.
    func commitOpenly() throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 24))
        tellOfTheDisk()
        let transaction = pair(0, commentBytes: 0)
        try store.commit(transaction)
        FaultHelper.say("committed 1")
        do { try store.commit(transaction) } catch is Refusal { FaultHelper.say("refused 1") }
        try store.close()
    }

    /// Opens the store, commits a pair, closes it, and begins again, for ever.
    func reopenForever() throws {
        for number in 0... {
            let store = try Store.open(
                at: path, .writing, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 24))
            try store.commit(pair(number, commentBytes: 0))
            try store.close()
            FaultHelper.say("\(number)")
        }
    }

    /// Imports a history, and says how far it is.
    func importHistory(_ file: String, resume: Bool) throws {
        let summary = try HistoryImporter(
            into: path, options: StoreOptions(clock: systemClock, recordsEnds: .withCommits, mapBytes: 1 << 24)
        ).run(
            file: file, resume: resume
        ) {
            FaultHelper.say("progress \($0.transactions)")
        }
        FaultHelper.say("imported \(summary.revision)")
    }

    /// Opens the store for writing, says so, and stays.
    func hold() throws {
        let store = try Store.open(at: path, .writing, options: FaultStore.options)
        FaultHelper.say("ready")
        pause()
        try store.close()
    }

    /// Takes away what `user:ann` may read in the end.
    func revoke() throws {
        let store = try Store.open(at: path, .writing, options: FaultStore.options)
        try store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:3")]))
        try store.close()
    }

    /// Asks everything of ``FaultHistory``.
    func ask() throws { FaultHelper.say("\(try FaultStore.answers(at: path))") }

    /// As somebody who may read everything and write nothing: asks, tries to write, verifies.
    func useAsNobody() throws {
        setgid(65534)
        setuid(65534)
        FaultHelper.say("\(try FaultStore.answers(at: path))")
        do {
            _ = try Store.open(at: path, .writing)
            FaultHelper.say("writing accepted")
        } catch { FaultHelper.say("writing \(error)") }
        FaultHelper.say("sound \(try Store.verify(at: path, options: FaultStore.options).problems)")
    }
}
