import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("The statistics of a running store: bytes written, space used, and whether it accepts writes")
struct StoreUsageTests {
    @Test("Commits, events and refusals are counted after they are in the log, and each write with its duration")
    func activity() throws {
        try withStore(.open) { fixture in
            let before = fixture.store.activity
            #expect(before.commits == 0)
            try fixture.commit(.defineClass("doc"))
            try fixture.commit(.createObject("doc:1"), .createObject("doc:2"))
            #expect(try fixture.refusal(.createObject("none:1")) != nil)
            let after = fixture.store.activity
            #expect(after.commits == 2)
            #expect(after.events >= 3)
            #expect(after.refusals == 1)
            #expect(after.writes.counts.reduce(0, +) == 3)
            #expect(after.writes.totalNanoseconds > 0)
        }
    }

    @Test("Files and maps have their sizes, and an open view is counted until it ends")
    func usage() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"))
            let store = fixture.store
            let atRest = try store.usage()
            #expect(atRest.log.fileBytes == (try FileBytes.read(fixture.path + "/log/data.mdb").count))
            #expect(atRest.index.fileBytes == (try FileBytes.read(fixture.path + "/index/data.mdb").count))
            #expect(atRest.log.usedBytes <= atRest.log.mapBytes)
            let reading = try store.read { _ in try store.usage() }
            #expect(reading.index.readers == atRest.index.readers + 1)
            #expect(try store.usage().index.readers == atRest.index.readers)
            try fixture.commit(.createObject("doc:1", value: .string(String(repeating: "x", count: 40_000))))
            #expect(try store.usage().log.usedBytes >= atRest.log.usedBytes + 40_000)
        }
    }

    @Test("A store open for writing reports no obstacle to writes; one open for reading, or closed, reports the reason")
    func obstacles() throws {
        try withStore { fixture in
            #expect(fixture.store.obstacleToWriting == nil)
            try fixture.whileClosed {
                let reader = try Store.open(at: fixture.path)
                #expect(reader.obstacleToWriting?.contains("for reading only") == true)
                try reader.close()
                #expect(reader.obstacleToWriting == "the store was closed")
                #expect(throws: StoreError.closed) { try reader.usage() }
            }
        }
    }
}
