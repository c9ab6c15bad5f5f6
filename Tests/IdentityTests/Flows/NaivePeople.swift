/// What should be so of accounts, in the plainest way: lists that are gone through from the beginning each time.
struct NaivePeople {
    struct Person {
        var email: String?
        var password: String?
        var badge: String?
        var isGone = false
    }

    struct Session {
        let person: Int
        var isOver = false
    }

    /// Something that waits for a code or a link.
    struct Pending {
        enum Kind: Equatable {
            case signUp(password: String)
            case reset
            case emailChange(session: Int)
            case linkBadge(String)
            case linkPassword(String)
        }
        let kind: Kind
        let email: String
        /// Whose account it would change; nil where it would make one.
        let person: Int?
        var isOver = false
    }

    var people: [Person] = []
    var sessions: [Session] = []
    var pending: [Pending] = []

    func holder(of email: String) -> Int? { people.firstIndex { !$0.isGone && $0.email == email } }
    func holder(ofBadge badge: String) -> Int? { people.firstIndex { !$0.isGone && $0.badge == badge } }

    mutating func begin(_ person: Int) -> Int {
        sessions.append(Session(person: person))
        return sessions.count - 1
    }

    mutating func endSessions(of person: Int, except kept: Int? = nil) {
        for index in sessions.indices where sessions[index].person == person && index != kept { sessions[index].isOver = true }
    }

    mutating func waysInChanged(_ person: Int) {
        for index in pending.indices where pending[index].person == person { pending[index].isOver = true }
    }

    /// What waits for a code that went to an address; a link waits for none.
    mutating func shown(_ email: String) {
        for index in pending.indices where pending[index].email == email {
            switch pending[index].kind {
            case .linkBadge, .linkPassword: break
            case .signUp, .reset, .emailChange: pending[index].isOver = true
            }
        }
    }

    /// A restart forgets what waits.
    mutating func restart() { for index in pending.indices { pending[index].isOver = true } }
}
