import Events
import Permissions
import Secrets
import TestSupport
import Testing

@testable import Identity

/// Records that decode, but contradict the records before them.
@Suite struct FoldingTests {
    /// Folds records with these events at these seconds, in order. Account 1 has a key in the file.
    private func fold(_ records: [(seconds: Int64, events: [IdentityEvent])]) throws -> AccountState {
        try withTemporaryFolder { folder in
            let master = try MasterKey.load(path: folder + "/master.key", isNeeded: false)
            let file = try KeyFile(path: folder + "/keys", master: master, isNeeded: false)
            defer { file.close() }
            var keys = try file.make(for: [AccountID(1)])
            keys[AccountID(2)] = EncryptionKey.random()
            var folding = Folding(keys: file)
            for (index, record) in records.enumerated() {
                var writer = ByteWriter()
                AccountRecordCodec.encode(
                    record.events, at: Instant(microseconds: record.seconds * 1_000_000), as: UInt64(index) + 1,
                    sealedBy: AccountEncryptionKeys(keys: keys), into: &writer)
                try folding.fold(writer.bytes.span, as: UInt64(index) + 1)
            }
            return try folding.finish()
        }
    }

    private let opened = IdentityEvent.accountOpened(
        AccountID(1), principal: Name("user:ann"), profile: Profile(displayName: "Ann"))

    @Test("A record with an earlier time than the record before it is reported", arguments: [9, 10, 11] as [Int64])
    func times(second: Int64) throws {
        let records: [(Int64, [IdentityEvent])] = [
            (10, [opened]), (second, [.emailSet(AccountID(1), AccountDatabaseFixture.email("ann"))]),
        ]
        if second >= 10 {
            #expect(try fold(records).time == Instant(microseconds: second * 1_000_000))
        } else {
            let error = #expect(throws: AccountDatabaseError.self) { try fold(records) }
            guard case .misfit(record: 2, _) = error else {
                Issue.record("\(error.map { "\($0)" } ?? "nothing")")
                return
            }
        }
    }

    @Test("An event of an account that was never opened is reported, with or without a key for the account")
    func strangers() throws {
        let records: [(Int64, [IdentityEvent])] = [(10, [opened]), (10, [.emailSet(AccountID(2), nil)])]
        #expect(throws: AccountDatabaseError.misfit(record: 2, "account 2 does not exist")) { try fold(records) }
        let readable: [(Int64, [IdentityEvent])] = [(10, [.emailSet(AccountID(1), nil)])]
        #expect(throws: AccountDatabaseError.misfit(record: 1, "account 1 does not exist")) { try fold(readable) }
    }

    @Test("An opened account with neither a key nor a deletion is reported at the end")
    func withoutKey() throws {
        let second = IdentityEvent.accountOpened(AccountID(2), principal: Name("user:bob"), profile: Profile())
        let error = #expect(throws: AccountDatabaseError.self) { try fold([(10, [opened]), (10, [second])]) }
        guard case .keyDamaged(AccountID(2), _) = error else {
            Issue.record("\(error.map { "\($0)" } ?? "nothing")")
            return
        }
        #expect(try fold([(10, [opened]), (10, [second]), (11, [.accountDeleted(AccountID(2))])]).accountCount == 1)
    }
}
