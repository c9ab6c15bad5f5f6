public import Events

/// What walks along links have read: for one caller, at one moment of a state.
///
/// Objects and callers who have written links have dense numbers, in the order of their discovery. Many walks visit thousands of
/// objects, so each visit is a few array accesses.
public final class LinkMemory {
    private var numbers: [ObjectID: Int] = [:]
    private var objects: [KnownObject] = []
    private var writerNumbers: [PrincipalID: Int] = [:]
    private var writers: [KnownWriter] = []
    /// The number of the current walk.
    private var walk: UInt32 = 0
    /// The number of objects that the current walk has read, or would have read without the memory.
    private(set) var reads = 0
    /// The number of sources of links that are kept.
    private var sourceCount = 0

    /// The memory is emptied before a walk if it has more objects, writers and sources of links than this: about 20 MB.
    private static let limit = 1 << 18

    private struct KnownObject {
        let id: ObjectID
        /// Nil before the first evaluation.
        var evaluation: Evaluation?
        /// The links to the object; nil before they were read.
        var links: [KnownLinks]?
        /// The last walk that evaluated the object.
        var evaluatedIn: UInt32 = 0
        /// The last walk that followed the links to the object.
        var followedIn: UInt32 = 0
        var isFruitless = false
    }

    /// The access to an object that links, without the links to it.
    struct Evaluation {
        var exists = false
        var isReadable = false
        /// Whether it can be readable because of a link to it.
        var passesOn = false
        /// The number of objects that were read for it.
        var cost: Int32 = 1
    }

    /// The links that one caller has written to an object.
    struct KnownLinks {
        let writer: Int
        /// Empty after a walk has used them: then the numbers replace them.
        fileprivate var sources: [ObjectID]
        fileprivate var numbers: [Int] = []
    }

    private struct KnownWriter {
        var reads = 0
        /// The walk that `reads` belongs to.
        var walk: UInt32 = 0
    }

    public init() {}

    subscript(number: Int) -> ObjectID { objects[number].id }

    /// Begins a walk. Returns the number of its first object.
    func beginWalk(to object: ObjectID) -> Int {
        if objects.count + writers.count + sourceCount > Self.limit {
            (numbers, objects, writerNumbers, writers, sourceCount) = ([:], [], [:], [], 0)
        }
        walk += 1
        reads = 0
        let start = number(of: object)
        objects[start].followedIn = walk
        return start
    }

    func countRead() { reads += 1 }

    /// Whether the current walk may read another object for the links of a writer.
    func mayRead(for writer: Int) -> Bool {
        let known = writers[writer]
        return reads < Limits.linkReads && (known.walk != walk || known.reads < Limits.linkReadsPerCaller)
    }

    /// Whether the current walk has not followed the links to an object yet. Notes that it does now.
    func isFirstVisit(_ object: Int) -> Bool {
        guard objects[object].followedIn != walk else { return false }
        objects[object].followedIn = walk
        return true
    }

    /// Returns the links to an object, after reading them if no walk has read them yet.
    func links(to target: Int, _ read: (ObjectID) throws -> [CallerLinks]) rethrows -> [KnownLinks] {
        if let known = objects[target].links { return known }
        let links = try read(objects[target].id).map { KnownLinks(writer: number(of: $0.writer), sources: $0.sources) }
        objects[target].links = links
        sourceCount += links.reduce(0) { $0 + $1.sources.count }
        return links
    }

    /// Returns the numbers of the objects with a caller's links to an object.
    func sources(_ place: Int, of target: Int) -> [Int] {
        let links = objects[target].links![place]
        if links.sources.isEmpty { return links.numbers }
        let numbers = links.sources.map { number(of: $0) }
        objects[target].links![place] = KnownLinks(writer: links.writer, sources: [], numbers: numbers)
        return numbers
    }

    /// Returns the access to an object that links, after evaluating it if no walk has done so yet.
    func evaluation(of source: Int, countingFor writer: Int, _ evaluate: (ObjectID) throws -> Evaluation) rethrows -> Evaluation {
        let found = try objects[source].evaluation ?? evaluate(objects[source].id)
        let cost = objects[source].evaluatedIn == walk ? 1 : Int(found.cost)
        objects[source].evaluation = found
        objects[source].evaluatedIn = walk
        reads += cost
        if writers[writer].walk != walk { writers[writer] = KnownWriter(reads: 0, walk: walk) }
        writers[writer].reads += cost
        return found
    }

    /// Whether a walk has followed all links to an object, directly and through others, and no linking object was readable.
    func isFruitless(_ object: ObjectID) -> Bool { numbers[object].map { objects[$0].isFruitless } ?? false }

    func markFruitless(_ found: [Int]) { for number in found { objects[number].isFruitless = true } }

    private func number(of object: ObjectID) -> Int {
        if let known = numbers[object] { return known }
        numbers[object] = objects.count
        objects.append(KnownObject(id: object))
        return objects.count - 1
    }

    private func number(of writer: PrincipalID) -> Int {
        if let known = writerNumbers[writer] { return known }
        writerNumbers[writer] = writers.count
        writers.append(KnownWriter())
        return writers.count - 1
    }
}

/// The memories of the last questions about a state. They must be emptied when the state changes.
public struct LinkMemories {
    private var kept: [(subjects: SubjectSet, deciding: SubjectSet?, instant: Instant, memory: LinkMemory)] = []

    /// A list asks about the same object with at most this number of different subjects and instants.
    private static let limit = 4

    public init() {}

    /// Returns the memory of a question; a new one if the question was not asked before, or not recently.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - deciding: replaces `subjects` at the level that decides.
    ///   - instant: the time for evaluating ends.
    public mutating func memory(for subjects: SubjectSet, deciding: SubjectSet?, at instant: Instant) -> LinkMemory {
        let known = kept.first { $0.subjects === subjects && $0.deciding === deciding && $0.instant == instant }
        if let known { return known.memory }
        if kept.count == Self.limit { kept.removeFirst() }
        let memory = LinkMemory()
        kept.append((subjects, deciding, instant, memory))
        return memory
    }

    public mutating func removeAll() { if !kept.isEmpty { kept.removeAll() } }
}
