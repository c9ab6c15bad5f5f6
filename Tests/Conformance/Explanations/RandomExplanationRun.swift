import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport

/// Applies a random history to a store, and requests explanations in between. Compares each with the access check and with every
/// path that the naive model finds, and checks its witness against the log.
struct RandomExplanationRun {
    struct Disagreement: Error, CustomStringConvertible {
        let seed: UInt64
        let what: String

        var description: String { "MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=1: \(what)" }
    }

    /// The cases that occurred, so that a test can check that every kind occurred.
    struct Tally {
        var allowed = 0
        var denied = 0
        var paths: [DecidingLevel: Int] = [:]
        var links = 0
        var proposals = 0
        var memberships = 0
    }

    private let fixture: StoreFixture
    private var history: RandomHistory
    private(set) var tally = Tally()
    private static let steps = 100
    private static let questions = 20

    init(seed: UInt64, _ fixture: StoreFixture, _ history: RandomHistory) {
        self.fixture = fixture
        self.history = history
    }

    mutating func run() throws {
        // Written to disk together, because this test does not cover durability.
        let importer = try fixture.store.importer()
        for _ in 0..<Self.steps {
            let step = history.next()
            fixture.clock.now = step.time
            do { try importer.add(Transaction(step.caller, step.changes)) } catch is Refusal { history.takeBack() }
        }
        try importer.finish()
        let commits = try fixture.commits()
        let checker = try WitnessChecker(commits)
        let model = try NaiveModel(commits)
        for _ in 0..<Self.questions { try ask(history.checkQuestion(), history.point(upTo: model.head), checker, model) }
    }

    private mutating func ask(
        _ question: (subject: Name, privileges: [String], object: Name), _ point: Point, _ checker: WitnessChecker,
        _ model: NaiveModel
    ) throws {
        let (subject, privileges, object) = question
        let view = model.view(point, now: fixture.clock.now)
        try fixture.store.read(at: Moment(point)) { snapshot in
            let explanation = try snapshot.explain(subject, privileges, on: object)
            let answer = try snapshot.check(subject, privileges, on: object)
            guard explanation.isAllowed == answer.isAllowed, explanation.isAllowed == view.check(subject, privileges, on: object)
            else {
                throw disagreement("\(question) at \(point): explained as \(explanation.isAllowed)")
            }
            let witness = try snapshot.witness(of: explanation)
            let faults = checker.faults(in: witness)
            guard faults.isEmpty, witness.isAllowed == explanation.isAllowed else {
                throw disagreement("\(question) at \(point): \(faults.joined(separator: "\n"))")
            }
            try compareWays(witness, view, point)
            if !explanation.isAllowed { try tryProposals(snapshot.proposals(for: explanation), explanation, view) }
            if explanation.isAllowed { tally.allowed += 1 } else { tally.denied += 1 }
        }
    }

    private mutating func compareWays(_ witness: Witness, _ view: NaiveView, _ point: Point) throws {
        guard witness.appointment == nil else { return }
        let ways = view.ways(of: witness.subject, Privileges(witness.wanted), to: witness.object)
        for level in DecidingLevel.allCases {
            let (told, there) = (witness.ways(at: level), ways[level] ?? [:])
            let isRight = witness.isComplete ? told == there : told.allSatisfy { there[$0.key] == $0.value }
            guard isRight else {
                throw disagreement(
                    "\(witness.subject) \(witness.privileges) on \(witness.object) at \(point), \(level): told \(told), there is \(there)"
                )
            }
            tally.paths[level, default: 0] += told.count
        }
        tally.links += witness.target?.objectPart.filter { !$0.sources.isEmpty }.count ?? 0
    }

    private mutating func tryProposals(_ proposals: ProposalList, _ explanation: Explanation, _ view: NaiveView) throws {
        for proposal in proposals.proposals {
            guard try view.supposing(proposal.changes)?.allows(explanation) ?? false else {
                throw disagreement(
                    "\(proposal) does not allow \(explanation.subject) \(explanation.privileges) on \(explanation.object)")
            }
            for left in proposal.changes.indices {
                let others = proposal.changes.enumerated().filter { $0.offset != left }.map(\.element)
                guard try !(view.supposing(others)?.allows(explanation) ?? false) else {
                    throw disagreement("\(proposal) can do without its change \(left)")
                }
            }
            tally.proposals += 1
            if case .addMember? = proposal.changes.last { tally.memberships += 1 }
        }
    }

    private func disagreement(_ what: String) -> Disagreement { Disagreement(seed: history.seed, what: what) }
}

extension NaiveView {
    fileprivate func allows(_ explanation: Explanation) -> Bool {
        check(explanation.subject, explanation.privileges, on: explanation.object)
    }
}
