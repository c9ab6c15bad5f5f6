import EventLog
import Events
import TestSupport
import Testing

@Suite("Log: after a failed write")
struct FailStopTests {
    /// Runs in a process with a file size limit, so that a write fails as on a full disk.
    @Test(
        "The log takes no writes until it is reopened; it stays readable, and keeps all acknowledged commits",
        arguments: [40_000, 100_000])
    func failStop(limit: Int) throws {
        let folder = try ScratchFolder()
        let result = try Helper.run(["fill-log", folder.path, "\(limit)"])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        let said = Dictionary(
            uniqueKeysWithValues: result.lines.map { line in
                let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            })
        let acknowledged = try #require(said["acknowledged"].flatMap { Int($0) })
        #expect(acknowledged > 0)
        #expect(said["failed"]?.contains("make room on the disk") == true)
        #expect(said["again"]?.hasPrefix("the store takes no writes") == true)
        // The log still refuses writes after the limit is lifted.
        #expect(said["later"]?.hasPrefix("the store takes no writes") == true)
        #expect(said["read"] == "\(acknowledged)")
        #expect(said["reopened"] == "\(acknowledged + 1)")
        let small = try EventLog(path: folder.path, isReadOnly: true)
        #expect(try small.commits().count == acknowledged + 1)
        small.close()
    }

    @Test("Stopping the log records a reason, and a later reason does not replace it")
    func stopping() throws {
        let small = try SmallLog(commits: 1)
        let log = try small.open()
        log.stop("the index could not be written")
        log.stop("something else")
        #expect(log.failure == "the index could not be written")
        #expect(throws: LogError.stopped("the index could not be written")) { try log.append([SmallLog.commit(1)]) }
        #expect(try log.commits().count == 1)
        log.close()
    }
}
