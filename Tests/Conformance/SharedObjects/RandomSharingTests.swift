import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Shared objects: random histories compared with a check of every object")
struct RandomSharingTests {
    private static let users: [Name] = ["user:u0", "user:u1", "user:u2", "user:u3", "user:root", "user:stranger"]

    @Test("F8: The objects fetched as public and as shared match a check of every object", arguments: 0..<UInt64(40))
    func randomHistories(offset: UInt64) async throws {
        var history = RandomHistory(seed: TestSettings.firstSeed &+ offset)
        let clock = ManualClock(history.start)
        try await withStore(history.preset, clock: clock) { fixture in
            var model = NaiveModel()
            for step in 1...120 {
                let next = history.next()
                clock.now = next.time
                do { try await fixture.store.commit(Transaction(next.caller, next.changes)) } catch is Refusal {
                    history.takeBack()
                }
                guard step % 30 == 0 else { continue }
                for user in Self.users { try await compare(user, fixture, &model, "seed \(history.seed), step \(step)") }
            }
        }
    }

    private func compare(_ user: Name, _ fixture: StoreFixture, _ model: inout NaiveModel, _ place: String) async throws {
        for className in ["doc", "box", "rec"] {
            let objects = SharedObjects(in: fixture.store, class: className)
            // The first sign-in of a user is a commit.
            try await objects.setCurrentUser(user)
            for commit in try fixture.commits().dropFirst(model.commitCount) { try model.append(commit) }
            let view = model.view(.head, now: fixture.clock.now)
            let found = try await fetched { try objects.fetchAllPublic() }
            #expect(found == view.publicObjects(className, as: user)?.map(\.id), "public: \(user), \(className), \(place)")
            let shared = try await fetched { try objects.fetchAllSharedWithMe() }
            #expect(shared == view.sharedObjects(className, with: user)?.map(\.id), "shared: \(user), \(className), \(place)")
        }
    }

    /// The returned ids, in order; nil if the caller may not query.
    private func fetched(_ begin: () throws -> FetchedObjectSequence) async throws -> [String?]? {
        do {
            var ids: [String?] = []
            for try await object in try begin() { ids.append(object.id) }
            return ids
        } catch let refusal as Refusal {
            #expect([.unknownClass, .noPrivilege].contains(refusal.code))
            return nil
        }
    }
}
