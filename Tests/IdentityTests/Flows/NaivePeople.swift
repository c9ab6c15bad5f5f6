/// A naive model of accounts: lists that are searched from the beginning each time.
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

    /// A step that waits for a code or a link.
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
        /// The person with the account that the step changes; nil if the step makes a new account.
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

    mutating func signInMethodsChanged(_ person: Int) {
        for index in pending.indices where pending[index].person == person { pending[index].isOver = true }
    }

    /// Ends the steps that wait for a code sent to this address. Links do not wait for a code.
    mutating func shown(_ email: String) {
        for index in pending.indices where pending[index].email == email {
            switch pending[index].kind {
            case .linkBadge, .linkPassword: break
            case .signUp, .reset, .emailChange: pending[index].isOver = true
            }
        }
    }

    /// A restart drops all pending steps.
    mutating func restart() { for index in pending.indices { pending[index].isOver = true } }
}
