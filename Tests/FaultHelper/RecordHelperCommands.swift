import EventLog
import Events

/// Operations on a log of records in a separate process.
struct RecordHelperCommands {
    let path: String

    /// Appends a record to an existing log.
    func append() throws {
        let log = try RecordLog(path: path, isReadOnly: false, mapBytes: 1 << 24)
        try append(to: log)
        log.close()
    }

    /// Appends with a file size limit until a write fails, then reports the state of the log.
    func fill(within limit: Int) throws {
        let log = try RecordLog(path: path, isReadOnly: false, mapBytes: 1 << 24)
        FileSizeLimit.set(limit)
        var acknowledged = 0
        do {
            while acknowledged < 100_000 {
                try append(to: log)
                acknowledged += 1
            }
        } catch { FaultHelper.say("failed \(error)") }
        FileSizeLimit.set(nil)
        FaultHelper.say("acknowledged \(acknowledged)")
        do {
            try append(to: log)
            FaultHelper.say("later accepted")
        } catch { FaultHelper.say("later \(error)") }
        FaultHelper.say("head \(log.head?.number.rawValue ?? 0)")
        log.close()
    }

    private func append(to log: RecordLog) throws {
        try log.append { number, writer in writer.raw([UInt8](repeating: UInt8(truncatingIfNeeded: number.rawValue), count: 900)) }
    }
}
