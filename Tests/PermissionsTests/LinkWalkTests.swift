import Events
import Permissions
import RandomHistories
import Synchronization
import Testing

@Suite("The rules of access: the cost of links in a check")
struct LinkWalkTests {
    /// A state that counts how many objects are read, and how many callers' links.
    private final class CountingState: AccessState {
        let base: TinyState
        let reads = Atomic<Int>(0)
        /// Nil for a state that remembers nothing.
        private var memories: LinkMemories?

        init(_ base: TinyState, remembers: Bool = false) {
            self.base = base
            memories = remembers ? LinkMemories() : nil
        }

        func linkMemory(for subjects: SubjectSet, deciding: SubjectSet?, at instant: Instant) -> LinkMemory {
            memories?.memory(for: subjects, deciding: deciding, at: instant) ?? LinkMemory()
        }

        func subjects(of caller: PrincipalID) -> SubjectSet { base.subjects(of: caller) }
        func options(of classID: ClassID) -> ClassOptions? { base.options(of: classID) }

        func place(of object: ObjectID) -> ClassAndParent? {
            reads.add(1, ordering: .relaxed)
            return base.place(of: object)
        }

        func level(
            _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
        ) -> Privileges {
            base.level(level, on: object, for: subjects, at: instant, wanted: wanted)
        }

        func links(to target: ObjectID, limit: Int) -> [CallerLinks] {
            let links = base.links(to: target, limit: limit)
            reads.add(links.count, ordering: .relaxed)
            return links
        }

        /// Whether Ben may read an object, and how much work the check needed.
        func benReads(_ object: ObjectID) throws -> (allowed: Bool, reads: Int) {
            let before = reads.load(ordering: .relaxed)
            let verdict = try AccessRules(self, at: Instant(microseconds: 0)).verdict(for: subjects(of: .ben), on: object)
            return (verdict.allows(.read), reads.load(ordering: .relaxed) - before)
        }
    }

    /// A world with links that make `.one` readable. No other access is given on any object.
    private struct World {
        var state = TinyState.open
        private var next: UInt64 = 1000

        init() {
            state.classes[.doc] = ClassOptions(inherits: .all, readThroughLinks: true)
            state.classes[.folder] = ClassOptions(inherits: .all)
        }

        /// Adds an object below the given number of others.
        mutating func add(_ classID: ClassID, height: Int = 0) -> ObjectID {
            var parent: ObjectID?
            for _ in 0...height {
                next += 1
                state.places[ObjectID(rawValue: next)] = ClassAndParent(classID: classID, parent: parent)
                parent = ObjectID(rawValue: next)
            }
            return ObjectID(rawValue: next)
        }

        mutating func link(_ target: ObjectID, by writer: PrincipalID, count: Int, in classID: ClassID, height: Int = 0) {
            let sources = (0..<count).map { _ in add(classID, height: height) }
            state.links[target, default: [:]][writer, default: []] += sources
        }

        /// Adds an object that Ben may read, with a link written by a caller.
        mutating func share(_ target: ObjectID, by writer: PrincipalID) {
            let source = add(.folder)
            state.grant(.read, on: source, to: .ben)
            state.links[target, default: [:]][writer, default: []].append(source)
        }
    }

    private static let mallory = PrincipalID(rawValue: 10)
    /// A later caller than Mallory, so that Mallory's links come first.
    private static let vic = PrincipalID(rawValue: 900)

    /// The work limit of a check for the links of one caller. The last object may be deep in the tree.
    private static let shareOfOne = Limits.linkReadsPerCaller + Limits.depthOfParents

    @Test("E14: a denied check reads a bounded number of objects, even with all links that a caller can write")
    func oneCaller() throws {
        var world = World()
        world.link(.one, by: Self.mallory, count: Limits.linksPerCaller, in: .folder)
        let flat = try CountingState(world.state).benReads(.one)
        #expect(!flat.allowed && flat.reads <= Limits.linksPerCaller + 8)

        world = World()
        world.link(.one, by: Self.mallory, count: Limits.linksPerCaller, in: .folder, height: Limits.depthOfParents)
        let deep = try CountingState(world.state).benReads(.one)
        #expect(!deep.allowed && deep.reads <= 2 * Self.shareOfOne)
        world.share(.one, by: Self.vic)
        #expect(try CountingState(world.state).benReads(.one).allowed)
    }

    @Test("E14: a tree of objects that link to each other costs no more, and hides no chain that another caller has built")
    func tree() throws {
        var world = World()
        let shared = world.add(.doc)
        world.state.links[.one] = [Self.vic: [shared]]
        for target in [ObjectID.one, shared] { world.link(target, by: Self.mallory, count: 64, in: .doc) }
        for target in (world.state.links[.one]?[Self.mallory] ?? []).prefix(64) {
            world.link(target, by: Self.mallory, count: 64, in: .doc)
        }
        let before = try CountingState(world.state).benReads(.one)
        #expect(!before.allowed && before.reads <= 3 * Self.shareOfOne)
        world.share(shared, by: Self.vic)
        #expect(try CountingState(world.state).benReads(.one).allowed)
    }

    @Test("E14: the links of many callers together have a limit as well")
    func manyCallers() throws {
        var world = World()
        for caller in 0..<200 {
            world.link(.one, by: PrincipalID(rawValue: UInt64(100_000 + caller)), count: Limits.linksPerCaller, in: .folder)
        }
        let denied = try CountingState(world.state).benReads(.one)
        #expect(!denied.allowed && denied.reads <= Limits.linkReads + Self.shareOfOne)
        // The nearest objects first. At the same distance, those of earlier callers first.
        world.share(.one, by: Self.vic)
        #expect(try CountingState(world.state).benReads(.one).allowed)
    }

    @Test("E14: a list reads each object of a long chain of links once, and decides as a check does")
    func longChain() throws {
        var world = World()
        let chain = (0..<4 * Limits.linkReadsPerCaller).map { _ in world.add(.doc) }
        for (target, source) in zip(chain, chain.dropFirst()) { world.state.links[target] = [Self.mallory: [source]] }
        // The limit lets a check follow the chain from some of its objects to this one, and from others not.
        world.state.grant(.read, on: chain[3 * Limits.linkReadsPerCaller], to: .ben)

        let list = CountingState(world.state, remembers: true)
        let subjects = list.subjects(of: .ben)
        let rules = AccessRules(list, at: Instant(microseconds: 0))
        let listed = try chain.map { try rules.verdict(for: subjects, on: $0, wanted: .read).allows(.read) }
        #expect(list.reads.load(ordering: .relaxed) <= 4 * chain.count)
        #expect(listed.count { $0 } > Limits.linkReadsPerCaller / 2 && listed.count { !$0 } > Limits.linkReadsPerCaller)
        for place in stride(from: 0, to: chain.count, by: 61) {
            #expect(try CountingState(world.state).benReads(chain[place]).allowed == listed[place], "object \(place)")
        }
    }

    @Test("E14: lists over random links decide as checks do, in any order", arguments: 0..<20 as Range<UInt64>)
    func randomLinks(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var world = World()
        let objects = (0..<300).map { _ in
            world.add(Bool.random(using: &random) ? .folder : .doc, height: Int.random(in: 0..<3, using: &random))
        }
        for target in objects {
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let writer = PrincipalID(rawValue: UInt64.random(in: 10..<13, using: &random))
                world.state.links[target, default: [:]][writer, default: []].append(objects.randomElement(using: &random)!)
            }
        }
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            world.state.grant(.read, on: objects.randomElement(using: &random)!, to: .ben)
        }
        let list = CountingState(world.state, remembers: true)
        let rules = AccessRules(list, at: Instant(microseconds: 0))
        let subjects = list.subjects(of: .ben)
        for object in objects.shuffled(using: &random) {
            let listed = try rules.verdict(for: subjects, on: object, wanted: .read).allows(.read)
            #expect(try CountingState(world.state).benReads(object).allowed == listed, "\(object), seed \(seed)")
        }
    }
}
