import Events
import Permissions
import TestSupport
import Testing

@Suite("An entry: the privileges of one subject on one object")
struct AccessEntryTests {
    private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    private static func entry(
        _ withoutExpiry: Privileges, _ ending: (Privileges, Int64)..., permanent: Privileges = []
    ) -> AccessEntry {
        AccessEntry(
            subject: PrincipalID(rawValue: 20), withoutExpiry: withoutExpiry,
            ending: ending.map { ExpiringPrivileges(privileges: $0.0, until: at($0.1)) }, permanent: permanent)
    }

    typealias Grant = (before: AccessEntry, granted: Privileges, until: Instant, after: AccessEntry)

    private static let grants: [Grant] = [
        (entry([]), .read, .forever, entry(.read)),
        (entry([]), .read, at(5), entry([], (.read, 5))),
        (entry(.read), .read, at(5), entry(.read)),
        (entry(.read), [.read, .update], at(5), entry(.read, (.update, 5))),
        (entry([], (.read, 5)), .read, .forever, entry(.read)),
        (entry([], (.read, 5)), .read, at(3), entry([], (.read, 5))),
        (entry([], (.read, 5)), .read, at(5), entry([], (.read, 5))),
        (entry([], (.read, 5)), .read, at(7), entry([], (.read, 7))),
        (entry([], (.read, 5)), .update, at(5), entry([], ([.read, .update], 5))),
        (entry([], (.read, 5)), .update, at(3), entry([], (.update, 3), (.read, 5))),
        (entry([], (.read, 3), (.update, 7)), [.read, .update], at(5), entry([], (.read, 5), (.update, 7))),
        (entry([], (.read, 3), (.update, 7)), [.read, .update], at(9), entry([], ([.read, .update], 9))),
        (entry([], (.read, 3), (.update, 7)), .all, .forever, entry(.all)),
        (entry(.all), .read, at(5), entry(.all)),
        (entry(.all), .read, .forever, entry(.all)),
    ]

    @Test("E13: a grant adds and extends access, and never removes or shortens it", arguments: grants)
    func granting(grant: Grant) {
        var entry = grant.before
        entry.grant(grant.granted, until: grant.until)
        #expect(entry == grant.after)
        for seconds in Int64(0)...10 {
            let instant = Self.at(seconds)
            let expected = grant.before.live(at: instant).union(instant < grant.until ? grant.granted : [])
            #expect(entry.live(at: instant) == expected)
        }
    }

    typealias Revocation = (before: AccessEntry, revoked: Privileges, after: AccessEntry)

    private static let known: Privileges = [.builtIn, .custom(0)]

    private static let revocations: [Revocation] = [
        (entry([.read, .update]), .read, entry(.update)),
        (entry(.read), .read, entry([])),
        (entry(.read), .update, entry(.read)),
        (entry(.read, (.update, 5)), .update, entry(.read)),
        (entry([], ([.read, .update], 5)), .update, entry([], (.read, 5))),
        (entry([], (.read, 3), (.update, 5)), [.read, .update], entry([])),
        (entry([.read], (.update, 5)), .all, entry([])),
        (entry(.all), .all, entry([])),
        (entry(.all), .read, entry(known.subtracting(.read))),
        (entry(.all), .custom(1), entry(known)),
    ]

    @Test("A revoke from a grant of all privileges keeps the other known privileges, and no later ones", arguments: revocations)
    func revoking(revocation: Revocation) {
        var entry = revocation.before
        entry.revoke(revocation.revoked, known: Self.known)
        #expect(entry == revocation.after)
    }

    @Test("E13: an expiry is the first moment without access, and expiring removes only ended privileges")
    func expiring() {
        var entry = Self.entry(.query, (.read, 3), (.update, 5))
        #expect(entry.live(at: Self.at(3).advanced(byMicroseconds: -1)) == [.query, .read, .update])
        #expect(entry.live(at: Self.at(3)) == [.query, .update])
        entry.expire(at: Self.at(3).advanced(byMicroseconds: -1))
        #expect(entry == Self.entry(.query, (.read, 3), (.update, 5)))
        entry.expire(at: Self.at(3))
        #expect(entry == Self.entry(.query, (.update, 5)))
        entry.expire(at: .forever)
        #expect(entry == Self.entry(.query))
        #expect(entry.live(at: .forever) == .query)
    }

    @Test("The parts of an entry never overlap and are ordered by expiry, after any grants and revokes")
    func partsStayApart() {
        var generator = SplitMix64(seed: 42)
        for _ in 0..<200 {
            var entry = Self.entry([])
            var expected: [UInt32: Instant] = [:]
            for _ in 0..<12 {
                let bits = Privileges(rawValue: UInt32.random(in: 0..<256, using: &generator))
                let singles = (0..<8).map { UInt32(1) << $0 }.filter { bits.rawValue & $0 != 0 }
                if Bool.random(using: &generator) {
                    let until = [Instant.forever, Self.at(1), Self.at(2), Self.at(3)].randomElement(using: &generator) ?? .forever
                    entry.grant(bits, until: until)
                    for bit in singles { expected[bit] = max(expected[bit] ?? .distantPast, until) }
                } else {
                    entry.revoke(bits, known: .builtIn)
                    for bit in singles { expected[bit] = nil }
                }
                var parts = entry.ending.map(\.privileges) + [entry.withoutExpiry]
                #expect(entry.ending.map(\.until) == entry.ending.map(\.until).sorted())
                #expect(Set(entry.ending.map(\.until)).count == entry.ending.count)
                #expect(entry.ending.allSatisfy { !$0.privileges.isEmpty })
                while let part = parts.popLast() { #expect(parts.allSatisfy { $0.isDisjoint(with: part) }) }
                for slice in entry.ending + [ExpiringPrivileges(privileges: entry.withoutExpiry, until: .forever)] {
                    for bit in (0..<8).map({ UInt32(1) << $0 }) where slice.privileges.rawValue & bit != 0 {
                        #expect(expected[bit] == slice.until)
                    }
                }
                #expect(entry.privileges.rawValue == expected.keys.reduce(0, |))
            }
        }
    }
}
