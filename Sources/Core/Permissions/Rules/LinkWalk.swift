internal import Events

/// Follows the links to an object, and the links to the linking objects, nearest first.
///
/// Every caller who may read an object may link to it, so a walk has limits: it reads at most
/// ``Primitives/Limits/linkReadsPerCaller`` objects for the links that one caller has written and ``Primitives/Limits/linkReads`` in
/// total. The links of one caller therefore cannot make a check expensive, and cannot prevent another caller's links from being
/// followed.
struct LinkWalk<State: AccessState> {
    /// A followed link.
    struct Link {
        let source: ObjectID
        let target: ObjectID
        /// Whether the linking object is readable without links.
        let isReadable: Bool
        /// Whether the linking object can be readable because of a link to it.
        let passesOn: Bool
    }

    private let rules: AccessRules<State>
    private let subjects: SubjectSet
    private let deciding: SubjectSet?
    private var reads = 0
    private var readsByWriter: [PrincipalID: Int] = [:]
    private var known: [ObjectID: (isReadable: Bool, passesOn: Bool)?] = [:]

    init(_ rules: AccessRules<State>, _ subjects: SubjectSet, deciding: SubjectSet?) {
        self.rules = rules
        self.subjects = subjects
        self.deciding = deciding
    }

    /// Passes each link once to `body`, until `body` returns false.
    mutating func follow(to object: ObjectID, _ body: (Link) throws -> Bool) throws {
        var pending = [object]
        var targets: Set<ObjectID> = [object]
        var next = 0
        while next < pending.count, reads < Limits.linkReads {
            let target = pending[next]
            next += 1
            for links in try rules.state.links(to: target, limit: Limits.linkReads - reads) {
                reads += 1
                for source in links.sources where source != object {
                    guard reads < Limits.linkReads, readsByWriter[links.writer, default: 0] < Limits.linkReadsPerCaller else {
                        break
                    }
                    guard let (isReadable, passesOn) = try look(at: source, countingFor: links.writer) else { continue }
                    let link = Link(source: source, target: target, isReadable: isReadable, passesOn: passesOn)
                    guard try body(link) else { return }
                    if passesOn, targets.insert(source).inserted { pending.append(source) }
                }
            }
        }
    }

    /// Evaluates an object that links; nil if it does not exist.
    private mutating func look(
        at source: ObjectID, countingFor writer: PrincipalID
    ) throws -> (isReadable: Bool, passesOn: Bool)? {
        var cost = 1
        defer {
            reads += cost
            readsByWriter[writer, default: 0] += cost
        }
        if let found = known[source] { return found }
        var found: (isReadable: Bool, passesOn: Bool)?
        if let place = try rules.state.place(of: source), let options = try rules.state.options(of: place.classID) {
            let levels = try rules.levels(
                for: subjects, at: place, of: source, options: options, wanted: .read, deciding: deciding)
            cost = levels.objectsRead
            found = (
                levels.combined.contains(.read), options.readThroughLinks && levels.combined(with: .read).contains(.read)
            )
        }
        known[source] = .some(found)
        return found
    }
}
