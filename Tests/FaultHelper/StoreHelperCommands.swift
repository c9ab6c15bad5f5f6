import DiskWitness
import Events
import Files
import Glibc
import Histories
import Muniment
import Permissions

/// Operations of a writing process until it is stopped.
struct StoreHelperCommands {
    let path: String

    /// Creates two objects per transaction until the disk is full, and reports the number of acknowledged transactions.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of each file in bytes; nil for no limit but the disk.
    ///   - bytes: the size of comment and request id in each transaction. Long ones make the log grow faster than the index.
    func fill(limit: Int?, commentBytes bytes: Int) throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 26))
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
        for (word, moment) in [("now", Moment.now), ("time", .time(systemClock()))] {
            do {
                _ = try store.read(at: moment) { try $0.exists("doc:a0") }
                FaultHelper.say("\(word) answered")
            } catch { FaultHelper.say("\(word) \(error)") }
        }
        do {
            _ = try store.audit(limit: 1)
            FaultHelper.say("audit answered")
        } catch { FaultHelper.say("audit \(error)") }
        do { try store.close() } catch { FaultHelper.say("closing \(error)") }
    }

    /// Creates an object while the process has no free descriptor, and another object afterwards.
    func writeWithoutDescriptors() throws {
        let store = try Store.open(at: path, .writing, options: StoreOptions(expiryRecording: .withCommits))
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

    /// Creates an object while one disk sync fails, and others before and after it. Reports the log's writes to the system.
    func writeWithFailedSync() throws {
        let store = try Store.open(at: path, .writing, options: StoreOptions(expiryRecording: .withCommits))
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

    /// Opens the store with a growing number of free descriptors until it succeeds, and reports the error of each failed attempt.
    func openWithoutDescriptors() throws {
        for free in 0..<64 {
            var taken: [Int32] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            for descriptor in taken.suffix(free) { Glibc.close(descriptor) }
            let opened = Result { try Store.open(at: path, .writing, options: StoreOptions(expiryRecording: .withCommits)) }
            for descriptor in taken.dropLast(free) { Glibc.close(descriptor) }
            switch opened {
            case .failure(let error):
                if case StoreError.insufficientResources = error {
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

    /// Sends long changes that the store refuses until the disk is full, and reports the number of refusals.
    func fillWithRefusals(limit: Int) throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 26))
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

    /// Commits pairs of objects forever, and reports each revision after it is acknowledged.
    func commitForever() throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 24))
        var number = 0
        while true {
            let receipt = try store.commit(pair(number, commentBytes: 0))
            FaultHelper.say("\(receipt.revision?.rawValue ?? 0)")
            number += 1
        }
    }

    /// Commits a pair of objects and sends a change that is refused. Reports each result, and each disk write in between.
    func commitOpenly() throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 24))
        tellOfTheDisk()
        let transaction = pair(0, commentBytes: 0)
        try store.commit(transaction)
        FaultHelper.say("committed 1")
        do { try store.commit(transaction) } catch is Refusal { FaultHelper.say("refused 1") }
        try store.close()
    }

    /// Opens the store, commits a pair of objects, closes the store, and repeats this forever.
    func reopenForever() throws {
        for number in 0... {
            let store = try Store.open(
                at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 24))
            try store.commit(pair(number, commentBytes: 0))
            try store.close()
            FaultHelper.say("\(number)")
        }
    }

    /// Imports a history, and reports its progress.
    func importHistory(_ file: String, resume: Bool) throws {
        let summary = try HistoryImporter(
            into: path, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 24)
        ).run(
            file: file, resume: resume
        ) {
            FaultHelper.say("progress \($0.transactions)")
        }
        FaultHelper.say("imported \(summary.revision)")
    }

    /// Opens the store for writing, reports that it is ready, and keeps it open.
    func hold() throws {
        let store = try Store.open(at: path, .writing, options: FaultStore.options)
        FaultHelper.say("ready")
        pause()
        try store.close()
    }

    /// Revokes the access of `user:ann` to `doc:3`.
    func revoke() throws {
        let store = try Store.open(at: path, .writing, options: FaultStore.options)
        try store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:3")]))
        try store.close()
    }

    /// Runs all queries of ``FaultHistory``.
    func ask() throws { FaultHelper.say("\(try FaultStore.answers(at: path))") }

    /// Runs as a user who can read all files and write none: runs the queries, tries to write, and verifies the store.
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
