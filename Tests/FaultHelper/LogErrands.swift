import EventLog
import Events
import Files
import Glibc

/// The file size limit of this process.
enum FileSizeLimit {
    /// Limits the size of every file; nil removes the limit. A write beyond the limit fails instead of ending the process.
    static func set(_ bytes: Int?) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? rlim_t.max
        unsafe setrlimit(__rlimit_resource_t(1), &limit)
    }
}

/// Appends until a write fails, then reports the state of the log.
struct FillLog {
    let path: String
    let limit: Int

    func run() throws {
        var log = try EventLog(path: path, isReadOnly: false)
        FileSizeLimit.set(limit)
        var acknowledged = 0
        do {
            while acknowledged < 100_000 {
                _ = try log.append([commit(acknowledged)])
                acknowledged += 1
            }
        } catch { FaultHelper.say("failed \(error)") }
        FaultHelper.say("acknowledged \(acknowledged)")
        attempt("again", log, acknowledged)
        FileSizeLimit.set(nil)
        attempt("later", log, acknowledged)
        FaultHelper.say("read \(try count(log))")
        log.close()
        log = try EventLog(path: path, isReadOnly: false)
        _ = try log.append([commit(acknowledged)])
        FaultHelper.say("reopened \(try count(log))")
        log.close()
    }

    private func attempt(_ word: String, _ log: EventLog, _ number: Int) {
        do {
            _ = try log.append([commit(number)])
            FaultHelper.say("\(word) accepted")
        } catch { FaultHelper.say("\(word) \(error)") }
    }

    private func count(_ log: EventLog) throws -> Int {
        var count = 0
        try log.read { reader in
            try reader.forEachCommit(from: .genesis, to: log.head?.revision ?? .genesis) { _, _ in count += 1 }
        }
        return count
    }

    private func commit(_ number: Int) -> Commit {
        Commit(
            revision: Revision(UInt64(number)), time: Instant(microseconds: Int64(number)), actor: .system,
            origin: Origin(comment: String(repeating: "x", count: 900)), events: [])
    }
}
