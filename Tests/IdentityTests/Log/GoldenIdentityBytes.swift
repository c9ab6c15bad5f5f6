import Events
import Hashing
import Permissions
import TestSupport

@testable import Identity

/// Bytes of account logs, computed from `Docs/Format.md` by another program. Rows are added and never changed, because the data of
/// a released version must stay readable.
enum GoldenIdentityBytes {
    static let start = Instant.newYear
    static let account = AccountID(5)
    static let session = SessionID(300)
    static let acme = AccountDatabaseFixture.provider("acme")
    static let ann = AccountDatabaseFixture.email("ann")

    /// The layout of a record, its time, and the event count of one.
    static let header = "01 00 40 20 46 48 47 06 00 01"

    /// An event and its bytes: kind, version, length of the payload, payload. Sealed data is shown in plain text, without a nonce
    /// and a tag. `11*32` is the byte 0x11, 32 times.
    static let version1: [(event: IdentityEvent, hex: String)] = [
        (
            .accountOpened(account, principal: "user:k3", profile: Profile(displayName: "Ann")),
            "01 01 10  05 07 75 73 65 72 3a 6b 33  06 01 03 41 6e 6e 00"
        ),
        (
            .accountOpened(account, principal: "user:k3", profile: Profile(picture: "https://example.com/a.png")),
            """
            01 01 26  05 07 75 73 65 72 3a 6b 33
            1c 00 01 19 68 74 74 70 73 3a 2f 2f 65 78 61 6d 70 6c 65 2e 63 6f 6d 2f 61 2e 70 6e 67
            """
        ),
        (.emailSet(account, ann), "02 01 13  05  11 01 0f 61 6e 6e 40 65 78 61 6d 70 6c 65 2e 63 6f 6d"),
        (.emailSet(account, nil), "02 01 03  05  01 00"),
        (.profileChanged(account, Profile(displayName: "Änn")), "03 01 09  05  07 01 04 c3 84 6e 6e 00"),
        (
            .identityLinked(
                account,
                LinkedIdentity(
                    provider: .password, key: IdentityKey(ann), label: "ann@example.com", secret: "$a$",
                    linkedAt: start.later(seconds: 1))),
            """
            04 01 39  05  37 08 70 61 73 73 77 6f 72 64  0f 61 6e 6e 40 65 78 61 6d 70 6c 65 2e 63 6f 6d
            01 0f 61 6e 6e 40 65 78 61 6d 70 6c 65 2e 63 6f 6d  01 03 24 61 24  40 82 2f 46 48 47 06 00
            """
        ),
        (
            .identityLinked(
                account, LinkedIdentity(provider: acme, key: IdentityKey([0, 255]), linkedAt: start.later(seconds: 2))),
            "04 01 14  05  12 04 61 63 6d 65  02 00 ff  00  00  80 c4 3e 46 48 47 06 00"
        ),
        (.identityUnlinked(account, acme), "05 01 06  05  04 61 63 6d 65"),
        (
            .secretChanged(account, .password, key: IdentityKey(AccountDatabaseFixture.email("b")), secret: "$b$"),
            """
            06 01 1e  05  08 70 61 73 73 77 6f 72 64
            13 0d 62 40 65 78 61 6d 70 6c 65 2e 63 6f 6d  01 03 24 62 24
            """
        ),
        (
            .sessionBegun(
                Session(
                    id: session, account: account, device: "phone", createdAt: start, provider: .password,
                    authenticatedAt: start.later(seconds: 1), refreshedAt: start.later(seconds: 2),
                    accessEnds: start.later(seconds: 600), idleEnds: start.later(seconds: 7), ends: start.later(seconds: 8)),
                SessionHashes(access: digest(0x11), refresh: digest(0x22))),
            """
            07 01 84 01  ac 02  05  11*32 22*32  08 70 61 73 73 77 6f 72 64
            00 40 20 46 48 47 06 00  40 82 2f 46 48 47 06 00  80 c4 3e 46 48 47 06 00
            00 86 e3 69 48 47 06 00  c0 0f 8b 46 48 47 06 00  00 52 9a 46 48 47 06 00  07 01 05 70 68 6f 6e 65
            """
        ),
        (
            .sessionRefreshed(
                session, SessionHashes(access: digest(0x33), refresh: digest(0x44)), nonce: digest(0x55),
                accessEnds: start.later(seconds: 600), idleEnds: start.later(seconds: 7)),
            "08 01 72  ac 02  33*32 44*32  55*32  00 86 e3 69 48 47 06 00  c0 0f 8b 46 48 47 06 00"
        ),
        (
            .sessionReauthenticated(
                session, SessionHashes(access: digest(0x33), refresh: digest(0x44)), acme, authenticatedAt: start.later(seconds: 1),
                accessEnds: start.later(seconds: 600), idleEnds: start.later(seconds: 7)),
            """
            09 01 5f  ac 02  33*32 44*32  04 61 63 6d 65
            40 82 2f 46 48 47 06 00  00 86 e3 69 48 47 06 00  c0 0f 8b 46 48 47 06 00
            """
        ),
        (.sessionEnded(session, .reused), "0a 01 03  ac 02  03"),
        (.accountDeleted(account), "0b 01 01  05"),
    ]

    static func digest(_ byte: UInt8) -> Digest {
        guard let digest = Digest(bytes: [UInt8](repeating: byte, count: 32)) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }

    /// Returns the bytes of a row.
    static func bytes(_ hex: String) -> [UInt8] {
        hex.split(whereSeparator: \.isWhitespace).flatMap { word -> [UInt8] in
            let parts = word.split(separator: "*")
            guard let byte = UInt8(parts[0], radix: 16) else { preconditionFailure("`\(word)` is no byte") }
            return [UInt8](repeating: byte, count: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
        }
    }
}

/// Data sealed with a master key of the bytes 0 to 31, and with nonces that repeat one byte.
enum GoldenSeals {
    static let masterKey = "muniment-master-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n"
    static let masterBytes = [UInt8](0..<32)
    /// The first slot of the key file, and the slot of account 1, without the zeros after them.
    static let keySlots = [
        """
        6d756e696d656e74206163636f756e74206b6579732c20666f726d617420310a01010101010101010101010101010101
        010101010101010179084714ed16c41632a7bcf85e47dfaf
        """,
        """
        6b6579206f662031020202020202020202020202020202020202020202020202d70ef7648a9ad203a366b2604da266d1
        09ac745a65a2e8dd6b9b8d539515e5a6cee6910a0334cccc867552f60edaa26b
        """,
    ]
    /// The first record of a log: account 1 is opened, and a password is linked.
    static let record = """
        010040204648470600020101380107757365723a6b332e03030303030303030303030303030303030303030303030329
        808c28ff3310c0bcd067cc6f34ec39bca97967427c040161015f04040404040404040404040404040404040404040404
        0404f3fb89ae6a0d3de5c9184bd0708550a05322762dd5e24cdbd4551b934232114a5c91dce79cf16b6638ff75adab1c
        54af9bcad54589d10c7cfbca7ff2e60a9d5a9a410e0de62f54
        """
    /// The tokens of session 300: a first refresh token, and the next tokens for the nonce `nonce 1`.
    static let refresh = "munr_AAAAAAAAASwJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCZAPnuwEKnyd2rYlPcKzB0o"
    static let nextAccess = "muna_AAAAAAAAASylssLiO1snvTRy7_CKEm26K7_Vx2D6j-exBb0FZMYTKw"
    static let nextRefresh = "munr_AAAAAAAAASw4u1bh7mtq4eNtWxL1bCAOrABZMpP8HGFMoTaR4-aJhvflqF3YFdJ1_BIvkGKfL24"

    /// Returns the bytes of hexadecimal digits.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { !$0.isWhitespace })
        return stride(from: 0, to: digits.count, by: 2).map { index in
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else {
                preconditionFailure("no hexadecimal digits")
            }
            return byte
        }
    }
}
