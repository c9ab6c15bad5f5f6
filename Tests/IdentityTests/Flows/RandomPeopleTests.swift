import Events
import Permissions
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Random actions of users")
struct RandomPeopleTests {
    @Test(
        "I4 After any sequence of actions, each email and identity has one account, and sessions match the naive model")
    func random() throws {
        for offset in 0..<UInt64(TestSettings.historyCount / 4) {
            let seed = TestSettings.firstSeed &+ offset
            try withTemporaryFolder { folder in
                var town = try Town(folder: folder, seed: seed)
                for step in 0..<60 {
                    let what = try town.step()
                    if let difference = town.difference() {
                        Issue.record("seed \(seed), step \(step), \(what): \(difference)")
                        break
                    }
                }
                town.fixture.accounts.close()
            }
        }
    }
}

/// Accounts and their naive model, with the tokens and codes that all users hold.
private struct Town {
    var fixture: AccountsFixture
    var naive = NaivePeople()
    private let folder: String
    private var random: SplitMix64
    /// The principals of the people in the naive model.
    private var principals: [Name] = []
    /// The tokens for the sessions of the naive model, and the secrets of its pending steps.
    private var held: [SignedIn] = []
    private var secrets: [(attempt: String, code: String)] = []

    private static let emails = ["ann@example.org", "bob@example.org", "cat@example.org"]
    private static let passwords = ["first password", "second password"]
    private static let badges = ["one", "two", "three"]

    init(folder: String, seed: UInt64) throws {
        self.folder = folder
        random = SplitMix64(seed: seed)
        fixture = try AccountsFixture(folder: folder, settings: Town.settings)
    }

    private static var settings: AccountSettings {
        var settings = AccountsFixture.settings
        settings.recentSignInSeconds = 1_000_000
        settings.accessSeconds = 1_000_000
        settings.codeSeconds = 1_000_000
        let free = LimitRule(free: 1_000_000, firstDelaySeconds: 1, longestDelaySeconds: 1, forgottenSeconds: 1)
        (settings.limits.identity, settings.limits.source, settings.limits.changes) = (free, free, free)
        (settings.limits.mails, settings.limits.mailSource) = (free, free)
        return settings
    }

    /// Runs one random action, and compares its result with the model.
    ///
    /// - Returns: a description of the action.
    mutating func step() throws -> String {
        fixture.clock.advance(seconds: 1)
        let (email, password) = (random.one(of: Town.emails), random.one(of: Town.passwords))
        let badge = random.one(of: Town.badges)
        switch random.number(0...19) {
        case 0...2: return try signUp(email, password)
        case 3...6: return try redeem()
        case 7...8: return try signIn(email, password)
        case 9...10: return try badgeSignUp(badge, email: random.one(of: [email, nil]), isVouched: random.chance(percent: 70))
        case 11: return try reset(email)
        case 12: return try inSession { town, session in try town.linkBadge(badge, session) }
        case 13: return try inSession { town, session in try town.unlink(town.random.chance(percent: 50), session) }
        case 14...15: return try inSession { town, session in try town.changeEmail(email, session) }
        case 16: return try inSession { town, session in try town.password(password, session) }
        case 17: return try inSession { town, session in try town.signOut(session) }
        case 18: return try inSession { town, session in try town.delete(session) }
        default:
            fixture.accounts.close()
            fixture = try AccountsFixture(folder: folder, settings: Town.settings)
            naive.restart()
            return "restart"
        }
    }

    /// Returns the first difference from the model, or nil.
    func difference() -> String? {
        for (index, session) in naive.sessions.enumerated() where fixture.isSignedIn(held[index]) == session.isOver {
            return "session \(index) of person \(session.person) is \(session.isOver ? "not " : "")over"
        }
        for email in Town.emails {
            let holder = naive.holder(of: email).map { principals[$0] }
            let found = EmailAddress(email).flatMap { email in fixture.accounts.book.read { $0.account(email: email)?.principal } }
            if found != holder { return "`\(email)` belongs to \(String(describing: found)), not \(String(describing: holder))" }
        }
        for (index, person) in naive.people.enumerated() {
            let account = fixture.accounts.account(principal: principals[index])
            if person.isGone != (account == nil) { return "person \(index) is there, or is not" }
            guard let account else { continue }
            let badge = account.identity(AccountsFixture.badge)?.label
            if badge != person.badge { return "person \(index) has the badge \(badge ?? "none")" }
            if (account.identity(.password) != nil) != (person.password != nil) { return "the password of person \(index)" }
            if account.email?.text != person.email { return "the email of person \(index)" }
        }
        return nil
    }

    // MARK: Actions

    private struct Surprise: Error, CustomStringConvertible {
        let description: String
    }

    /// Compares the problem of an action with the expected one; nil means success.
    private func expect(_ told: AccountError?, _ expected: AccountError?, _ what: String) throws {
        switch (told, expected) {
        case (.accountExists?, .accountExists?): return
        default: if told != expected { throw Surprise(description: "\(what): \(String(describing: told))") }
        }
    }

    private static let exists = AccountError.accountExists(providers: [], link: nil)

    private mutating func wait(_ kind: NaivePeople.Pending.Kind, _ email: String, _ person: Int?, _ attempt: String, _ code: String)
    {
        naive.pending.append(NaivePeople.Pending(kind: kind, email: email, person: person))
        secrets.append((attempt, code))
    }

    private mutating func begin(_ person: Int, _ signedIn: SignedIn) {
        _ = naive.begin(person)
        held.append(signedIn)
        if person == principals.count { principals.append(signedIn.account.principal) }
    }

    private mutating func signUp(_ email: String, _ password: String) throws -> String {
        let attempt = try fixture.begin(email, password)
        wait(.signUp(password: password), email, nil, attempt, try fixture.code(email))
        return "sign up \(email)"
    }

    private mutating func signIn(_ email: String, _ password: String) throws -> String {
        let holder = naive.holder(of: email).flatMap { naive.people[$0].password == password ? $0 : nil }
        var signedIn: SignedIn?
        let told = problem { signedIn = try fixture.signIn(email, password) }
        try expect(told, holder == nil ? .wrongCredentials : nil, "sign in \(email)")
        if let holder, let signedIn { begin(holder, signedIn) }
        return "sign in \(email)"
    }

    private mutating func badgeSignUp(_ badge: String, email: String?, isVouched: Bool) throws -> String {
        let what = "badge \(badge) with \(email ?? "no email"), \(isVouched)"
        var signedIn: SignedIn?
        let told = problem { signedIn = try fixture.badgeMember(badge, email: email, isVouched: isVouched) }
        let shown = isVouched ? email : nil
        if let holder = naive.holder(ofBadge: badge) {
            try expect(told, nil, what)
            if let signedIn { begin(holder, signedIn) }
        } else if let shown, let holder = naive.holder(of: shown) {
            try expect(told, Town.exists, what)
            guard case .accountExists(_, let link)? = told else { return what }
            if (link == nil) != (naive.people[holder].badge != nil) { throw Surprise(description: "\(what): a link") }
            if let link { wait(.linkBadge(badge), shown, holder, link, "") }
        } else {
            try expect(told, nil, what)
            if let shown { naive.shown(shown) }
            naive.people.append(NaivePeople.Person(email: shown, badge: badge))
            if let signedIn { begin(naive.people.count - 1, signedIn) }
        }
        return what
    }

    private mutating func reset(_ email: String) throws -> String {
        let (attempt, _) = try fixture.accounts.requestReset(email: email, from: "")
        if let holder = naive.holder(of: email), naive.people[holder].password != nil {
            wait(.reset, email, holder, attempt, try fixture.code(email))
        }
        return "reset \(email)"
    }

    /// Sends the code or the link of a pending or finished step.
    private mutating func redeem() throws -> String {
        guard !naive.pending.isEmpty else { return "nothing waits" }
        let index = random.number(max(0, naive.pending.count - 4)...(naive.pending.count - 1))
        let (step, secret) = (naive.pending[index], secrets[index])
        let what = "redeem \(step)"
        switch step.kind {
        case .signUp(let password): try verify(index, step, secret, password, what)
        case .reset:
            let password = random.one(of: Town.passwords)
            var signedIn: SignedIn?
            let told = problem {
                signedIn = try fixture.accounts.confirmReset(
                    attempt: secret.attempt, code: secret.code, password: password, device: nil, from: "")
            }
            try expect(told, step.isOver ? .wrongCode : nil, what)
            guard let signedIn, let person = step.person else { break }
            naive.people[person].password = password
            naive.endSessions(of: person)
            naive.signInMethodsChanged(person)
            begin(person, signedIn)
        case .emailChange(let session): try confirmEmail(step, secret, session, what)
        case .linkBadge, .linkPassword: try link(index, step, secret.attempt, what)
        }
        return what
    }

    private mutating func verify(
        _ index: Int, _ step: NaivePeople.Pending, _ secret: (attempt: String, code: String), _ password: String, _ what: String
    ) throws {
        var signedIn: SignedIn?
        let told = problem {
            signedIn = try fixture.accounts.verify(attempt: secret.attempt, code: secret.code, device: nil, from: "")
        }
        if step.isOver { return try expect(told, .wrongCode, what) }
        naive.shown(step.email)
        guard let holder = naive.holder(of: step.email) else {
            try expect(told, nil, what)
            naive.people.append(NaivePeople.Person(email: step.email, password: password))
            if let signedIn { begin(naive.people.count - 1, signedIn) }
            return
        }
        try expect(told, Town.exists, what)
        guard case .accountExists(_, let link)? = told else { return }
        if (link == nil) != (naive.people[holder].password != nil) { throw Surprise(description: "\(what): a link") }
        if let link { wait(.linkPassword(password), step.email, holder, link, "") }
    }

    private mutating func confirmEmail(
        _ step: NaivePeople.Pending, _ secret: (attempt: String, code: String), _ session: Int, _ what: String
    ) throws {
        let told = problem {
            try fixture.accounts.confirmEmailChange(
                held[session].tokens.access, attempt: secret.attempt, code: secret.code, from: "")
        }
        let person = naive.sessions[session].person
        if naive.sessions[session].isOver { return try expect(told, .sessionEnded, what) }
        if step.isOver { return try expect(told, .wrongCode, what) }
        if naive.holder(of: step.email) != nil {
            // The code was used up nevertheless.
            if let index = secrets.firstIndex(where: { $0.attempt == secret.attempt }) { naive.pending[index].isOver = true }
            return try expect(told, Town.exists, what)
        }
        try expect(told, nil, what)
        naive.people[person].email = step.email
        naive.shown(step.email)
        naive.endSessions(of: person, except: session)
        naive.signInMethodsChanged(person)
    }

    /// Redeems a link in the newest active session.
    private mutating func link(_ index: Int, _ step: NaivePeople.Pending, _ link: String, _ what: String) throws {
        guard let session = naive.sessions.lastIndex(where: { !$0.isOver }) else { return }
        let person = naive.sessions[session].person
        let told = problem { try fixture.accounts.link(held[session].tokens.access, link) }
        if step.isOver || person != step.person { return try expect(told, .wrongCode, what) }
        switch step.kind {
        case .linkBadge(let badge):
            if naive.people[person].badge != nil { return try expect(told, .alreadyLinked, what) }
            if naive.holder(ofBadge: badge) != nil { return try expect(told, .linkedElsewhere, what) }
            naive.people[person].badge = badge
        case .linkPassword(let password): naive.people[person].password = password
        case .signUp, .reset, .emailChange: return
        }
        try expect(told, nil, what)
        naive.endSessions(of: person, except: session)
        naive.signInMethodsChanged(person)
    }

    // MARK: Actions in a session

    private mutating func inSession(_ body: (inout Town, Int) throws -> String) throws -> String {
        guard !naive.sessions.isEmpty else { return "nobody is signed in" }
        let index = random.number(max(0, naive.sessions.count - 6)...(naive.sessions.count - 1))
        return try "session \(index): " + body(&self, index)
    }

    /// Changes the sign-in methods of an account, and ends its other sessions and pending steps.
    private mutating func changing(
        _ session: Int, _ expected: AccountError?, _ what: String, _ body: (Accounts, String) throws -> Void,
        _ change: (inout NaivePeople.Person) -> Void
    ) throws -> String {
        let told = problem { try body(fixture.accounts, held[session].tokens.access) }
        let isOver = naive.sessions[session].isOver
        try expect(told, isOver ? .sessionEnded : expected, what)
        if told == nil {
            let person = naive.sessions[session].person
            change(&naive.people[person])
            naive.endSessions(of: person, except: session)
            naive.signInMethodsChanged(person)
        }
        return what
    }

    private mutating func linkBadge(_ badge: String, _ session: Int) throws -> String {
        let person = naive.people[naive.sessions[session].person]
        let expected: AccountError? =
            if person.badge != nil { .alreadyLinked } else if naive.holder(ofBadge: badge) != nil { .linkedElsewhere } else { nil }
        return try changing(session, expected, "link \(badge)") { accounts, access in
            _ = try accounts.link(access, AccountsFixture.badge, AccountsFixture.badge(badge), from: "")
        } _: {
            $0.badge = badge
        }
    }

    private mutating func unlink(_ isBadge: Bool, _ session: Int) throws -> String {
        let person = naive.people[naive.sessions[session].person]
        let provider = isBadge ? AccountsFixture.badge : .password
        let expected: AccountError? =
            if (isBadge ? person.badge : person.password) == nil {
                .notThere("the account has no sign-in method of the provider `\(provider)`: nothing to remove")
            } else if person.badge == nil || person.password == nil {
                .lastSignInMethod
            } else {
                nil
            }
        return try changing(session, expected, "unlink \(provider)") { accounts, access in
            _ = try accounts.unlink(access, provider)
        } _: {
            if isBadge { $0.badge = nil } else { $0.password = nil }
        }
    }

    private mutating func password(_ password: String, _ session: Int) throws -> String {
        let person = naive.people[naive.sessions[session].person]
        let expected: AccountError? = person.email == nil ? .notThere(AccountRules.noEmail) : nil
        return try changing(session, expected, "password") { accounts, access in
            if person.password == nil {
                _ = try accounts.setPassword(access, password)
            } else {
                _ = try accounts.changePassword(access, password)
            }
        } _: {
            $0.password = password
        }
    }

    private mutating func changeEmail(_ email: String, _ session: Int) throws -> String {
        let index = naive.sessions[session].person
        var attempt: String?
        let told = problem {
            attempt = try fixture.accounts.requestEmailChange(held[session].tokens.access, email, from: "").attempt
        }
        let same: AccountError? =
            naive.people[index].email == email ? .malformed("the account has this email already") : nil
        try expect(told, naive.sessions[session].isOver ? .sessionEnded : same, "change email")
        if let attempt { wait(.emailChange(session: session), email, index, attempt, try fixture.code(email)) }
        return "change email to \(email)"
    }

    private mutating func signOut(_ session: Int) throws -> String {
        let told = problem { try fixture.accounts.signOut(held[session].tokens.access) }
        try expect(told, naive.sessions[session].isOver ? .sessionEnded : nil, "sign out")
        naive.sessions[session].isOver = true
        return "sign out"
    }

    private mutating func delete(_ session: Int) throws -> String {
        let what = try changing(session, nil, "delete") { accounts, access in
            try accounts.deleteAccount(access)
        } _: {
            $0 = NaivePeople.Person(isGone: true)
        }
        if naive.people[naive.sessions[session].person].isGone { naive.sessions[session].isOver = true }
        return what
    }
}
