import Events
import Identity
import Synchronization

/// A provider that accepts every badge but `forged`. Its evidence is `{"badge": WHO, "email"?: ADDRESS, "vouched"?: true,
/// "secondsAgo"?: 60}`. It replaces an OpenID provider in tests.
struct BadgeProvider: IdentityProvider {
    let id: ProviderID
    let priority = 10

    func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? {
        request["down"] == nil ? ["go": .string("to the badge office")] : try fail(.unavailable("the office is closed"))
    }

    private func fail<R>(_ problem: ProviderError) throws(ProviderError) -> R { throw problem }

    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard case .string(let badge)? = evidence["badge"] else { throw .malformed("`badge` is missing") }
        if badge == "forged" { throw .wrong }
        var proof = VerifiedIdentity(key: IdentityKey(Array("office/\(badge)".utf8)), label: badge, authenticatedAt: now)
        if case .string(let text)? = evidence["email"], let address = EmailAddress(text) {
            proof.email = (address, evidence["vouched"] == .bool(true))
        }
        if case .integer(let seconds)? = evidence["secondsAgo"] {
            proof.authenticatedAt = now.advanced(byMicroseconds: -seconds * 1_000_000)
        }
        proof.profile = Profile(displayName: "Badge \(badge)", picture: "not an address")
        return proof
    }
}

/// A provider that knows users by a name and a number, without an email: `{"name": …, "number": …}`.
final class NumberProvider: IdentityProvider {
    let id: ProviderID
    let priority = 20
    private let duringProof = Mutex<(@Sendable () -> Void)?>(nil)

    init(id: ProviderID) { self.id = id }

    /// Sets the work that runs during a recognition, after the number was looked up.
    func during(_ body: (@Sendable () -> Void)?) { duringProof.withLock { $0 = body } }

    func begin(_ request: JSONObject, at now: Instant) -> JSONObject? { nil }

    func claimedKey(_ evidence: JSONObject) -> IdentityKey? {
        if case .string(let name)? = evidence["name"] { IdentityKey(Array(name.utf8)) } else { nil }
    }

    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard let key = claimedKey(evidence), case .string(let number)? = evidence["number"] else { throw .malformed("no name") }
        switch purpose {
        case .enrolment: return VerifiedIdentity(key: key, secret: number, authenticatedAt: now)
        case .recognition, .reauthentication:
            guard secretOf(key) == number else { throw .wrong }
            duringProof.withLock { $0 }?()
            return VerifiedIdentity(key: key, authenticatedAt: now)
        }
    }
}
