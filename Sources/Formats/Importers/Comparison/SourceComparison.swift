public import Events
public import Muniment
internal import Permissions

/// The differences between a source and a store: both answer the same questions.
///
/// The questions are who has each privilege on each object of the source's classes, and who is in each of its roles. A source that
/// does not know a privilege or an object of the store gives it to nobody.
/// Administrators of the store are left out: they have every privilege.
public struct SourceComparison: Sendable {
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        public enum Side: String, Sendable {
            /// Only the source allows it.
            case source = "-"
            /// Only the store allows it.
            case store = "+"
        }

        public let side: Side
        public let subject: Name
        /// Nil for a membership in the role `object`.
        public let privilege: String?
        public let object: Name

        public var description: String { "\(side.rawValue) \(subject) \(privilege ?? "in") \(object)" }
    }

    public private(set) var questions = 0
    /// Sorted by object, privilege and subject.
    public private(set) var differences: [Difference] = []

    /// Compares facts with a store at one moment.
    ///
    /// - Throws: an error of the store.
    public init(_ facts: SourceFacts, with snapshot: Snapshot) throws {
        let source = SourceEvaluator(facts, at: snapshot.instant)
        var objects = Set(facts.objects.keys)
        for className in Set(objects.map(\.className)) {
            objects.formUnion(try snapshot.names(NameFilter(className: className), limit: .max).map { Name($0) })
        }
        let privileges = Set(facts.privileges).union(snapshot.names(.all)).sorted()
        for object in objects.sorted() {
            for privilege in privileges {
                let held = Set(try snapshot.subjects(with: [privilege], on: object).map { Name($0) })
                compare(source.holders(of: privilege, on: object), held, privilege, object)
            }
        }
        for role in facts.roles.sorted() {
            let held = try SourceEvaluator.callers(of: [role]) { Set(try snapshot.members(of: $0).map { Name($0) }) }
            compare(source.members(of: role), held, nil, role)
        }
    }

    private mutating func compare(_ wanted: Set<Name>, _ held: Set<Name>, _ privilege: String?, _ object: Name) {
        questions += 1
        let found =
            wanted.subtracting(held).map { Difference(side: .source, subject: $0, privilege: privilege, object: object) }
            + held.subtracting(wanted).map { Difference(side: .store, subject: $0, privilege: privilege, object: object) }
        differences += found.sorted { ($0.subject, $0.side.rawValue) < ($1.subject, $1.side.rawValue) }
    }
}
