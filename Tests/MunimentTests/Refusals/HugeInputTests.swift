import Events
import Hashing
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Input of many megabytes is refused, and neither messages nor records grow with it")
struct HugeInputTests {
    private static let tenMegabytes = String(repeating: "x", count: 10 << 20)
    /// The maximum length of a message. Messages quote only the beginning of a long text.
    private static let messageBytes = 1024
    private static let recordBytes = 10_000

    /// Returns the only recorded refusal, after a check of all sizes.
    private func onlyRecord(_ fixture: StoreFixture, _ refusal: Refusal?) throws -> RecordedRefusal {
        let refusal = try #require(refusal)
        #expect(refusal.message.utf8.count <= Self.messageBytes)
        let records = try fixture.refusals()
        let record = try #require(records.last)
        #expect(record.code == refusal.code.rawValue)
        #expect(record.message == refusal.message)
        var writer = ByteWriter()
        RefusalCodec.encode(record, into: &writer)
        #expect(writer.bytes.count <= Self.recordBytes)
        return record
    }

    @Test("E9: an id of 10 MB is refused in every position, and shortened in the message and the record", arguments: [false, true])
    func hugeNames(isCaller: Bool) throws {
        let huge = Name("user:" + Self.tenMegabytes)
        let changes: [Change] = [
            .register(huge), .grant(huge, on: "doc:1", ["read"]), .deleteObject(Name("doc:" + Self.tenMegabytes)),
            .addMember("user:ann", to: .role(Self.tenMegabytes)), .defineClass(Self.tenMegabytes),
            .grant("user:ann", on: "doc:1", [Self.tenMegabytes]),
            .changeClass("doc", ClassSettings(privileges: [Self.tenMegabytes])),
        ]
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let answers = try World.answers(fixture.store)
            for change in isCaller ? [.createRole("role:new")] : changes {
                let refusal = try fixture.refusal(change, as: isCaller ? huge : "user:root")
                #expect(
                    refusal?.code
                        == (change.operation == "grant" && refusal?.message.contains("privilege") == true ? .malformed : .tooLarge))
                let record = try onlyRecord(fixture, refusal)
                #expect(record.caller == (isCaller ? String(huge.text.prefix(Limits.refusedCallerBytes)) : "user:root"))
                let tried = try #require(record.tried)
                #expect(tried.json.hasPrefix("{\"op\":\"\(change.operation)\""))
                #expect(tried.operation == change.operation)
                #expect((tried.objects + tried.subjects).allSatisfy { $0.utf8.count <= Limits.refusedCallerBytes })
                if !isCaller {
                    #expect(tried.json.utf8.count == Limits.triedChangeBytes)
                    #expect(tried.whole?.byteCount ?? 0 > 10 << 20)
                }
            }
            #expect(try World.answers(fixture.store) == answers)
        }
    }

    @Test("E9: a value of 100 MB is refused without being encoded; its record has the beginning, the length and the hash")
    func hugeValue() throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let head = try fixture.store.head
            let text = String(repeating: "x", count: 100 << 20)
            // Also with a key, because then the whole request is hashed.
            let refusal = try fixture.refusal(
                .createRole("role:new"), .createObject("doc:new", value: .string(text)), origin: Origin(idempotencyKey: "k"))
            #expect(refusal?.code == .tooLarge)
            #expect(refusal?.change == 1)
            #expect(refusal?.message.contains("`doc:new`") == true)
            let record = try onlyRecord(fixture, refusal)
            let (start, end) = (#"{"op":"createObject","object":"doc:new","value":""#, "\"}")
            let whole = try #require(record.tried?.whole)
            #expect(record.tried?.json == start + String(text.prefix(Limits.triedChangeBytes - start.utf8.count)))
            #expect(whole.byteCount == UInt64(start.utf8.count + text.utf8.count + end.utf8.count))
            #expect(whole.digest == Digest(of: (start + text + end).utf8Span.span).bytes)
            #expect(try fixture.store.head == head)
            #expect(try fixture.store.statistics().logBytes < 1 << 20)
        }
    }

    @Test("E9: 100,000 changes in one transaction are refused together, and recorded with the first one")
    func manyChanges() throws {
        try withStore { (fixture) throws in
            let changes = (0..<100_000).map { Change.register(Name("user:\($0)")) }
            let refusal = try fixture.refusal(of: changes)
            #expect(refusal?.code == .tooLarge)
            #expect(refusal?.change == nil)
            #expect(refusal?.message.contains("100000") == true)
            let record = try onlyRecord(fixture, refusal)
            #expect((record.change, record.changeCount) == (nil, 100_000))
            #expect(record.tried?.json == #"{"op":"register","principal":"user:0"}"#)
            #expect(try fixture.head == .genesis)
            #expect(try fixture.store.statistics().principals == 1)
        }
    }

    @Test("E9: ids, keys and comments of 10 MB are refused, and shortened in the record")
    func hugeOrigins() throws {
        try withStore { (fixture) throws in
            let long = Self.tenMegabytes
            for origin in [Origin(requestID: long), Origin(idempotencyKey: long), Origin(comment: long)] {
                let refusal = try fixture.refusal(.createRole("role:new"), origin: origin)
                #expect(refusal?.code == .tooLarge)
                let record = try onlyRecord(fixture, refusal)
                let kept = [record.origin.requestID, record.origin.idempotencyKey, record.origin.comment].compactMap { $0 }
                #expect(kept.map(\.utf8.count) == [Limits.originBytes])
            }
            #expect(try fixture.head == .genesis)
        }
    }

    @Test("E9: a text is cut between two characters, so that the record is valid UTF-8")
    func cutTexts() throws {
        try withStore { (fixture) throws in
            for shift in 0..<4 {
                let name = Name("doc:" + String(repeating: "-", count: shift) + String(repeating: "😀", count: 5000))
                let record = try onlyRecord(fixture, try fixture.refusal(.deleteObject(name), as: name))
                #expect(name.text.utf8.starts(with: record.caller.utf8))
                #expect(record.caller.hasSuffix("😀"))
                #expect(record.tried?.json.hasSuffix("😀") == true)
                #expect(record.caller.utf8.count > Limits.refusedCallerBytes - 4)
            }
        }
    }
}
