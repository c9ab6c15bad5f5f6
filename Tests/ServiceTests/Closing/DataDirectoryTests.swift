import Events
import Muniment
import Permissions
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("The folder of stores") struct DataDirectoryTests {
    @Test("A closed data directory opens and makes no store")
    func closed() throws {
        try withTemporaryFolder { folder in
            // The store is only created here, so opening it would fold its index.
            try Store.create(at: folder + "/late").close()
            let isFolded = Atomic(false)
            let options = StoreOptions(expiryRecording: .withCommits) { _ in isFolded.store(true, ordering: .relaxed) }
            let settings = ServiceSettings(dataDirectory: folder, storeOptions: options, report: { _ in })
            let data = try DataDirectory(settings)
            try data.close()
            let (late, new) = (try #require(StoreName("late")), try #require(StoreName("new")))
            #expect(throws: StoreError.closed) { try data.store(late) }
            #expect(throws: StoreError.closed) { try data.create(new, preset: .open, administrator: "user:root") }
            let wasFolded = isFolded.load(ordering: .relaxed)
            #expect(!wasFolded)
            #expect(!Store.exists(at: folder + "/new"))
        }
    }
}
