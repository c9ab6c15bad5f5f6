public import Primitives

/// The privileges of the user on an object or a class, each with the time when it ends without a further commit.
///
/// Names are equal only if their bytes are.
public struct PrivilegeEnds: Hashable, Sendable {
    private var ends: [ExactText: Instant]

    /// Creates a set from the end of each privilege; nil for a privilege that does not end.
    public init(_ ends: [(privilege: String, end: Instant?)] = []) {
        self.ends = Dictionary(ends.map { (ExactText($0.privilege), $0.end ?? .forever) }, uniquingKeysWith: max)
    }

    /// The names of all privileges, whether they have ended or not, sorted by their bytes.
    public var names: [String] { ends.keys.sorted().map(\.text) }

    /// Returns the names of the privileges that have not ended at an instant, sorted by their bytes.
    public func names(at instant: Instant) -> [String] { ends.filter { $0.value > instant }.keys.sorted().map(\.text) }

    /// Returns when a privilege ends: `forever` if it does not end, nil if the user does not have it.
    public func end(of privilege: String) -> Instant? { ends[ExactText(privilege)] }

    /// Whether the user has a privilege at an instant.
    public func contains(_ privilege: String, at instant: Instant) -> Bool { end(of: privilege).map { $0 > instant } ?? false }
}

extension PrivilegeEnds {
    /// The members of `privileges` in the stream: a time, or null for a privilege that does not end.
    var json: JSONValue {
        .object(JSONObject(ends.map { ($0.key.text, $0.value == .forever ? .null : .string($0.value.description)) }))
    }

    init(json: JSONValue) throws(MemberProblem) {
        var ends: [ExactText: Instant] = [:]
        for (name, end) in try json.readMembers() {
            do throws(MemberProblem) { ends[ExactText(name)] = end == .null ? .forever : try end.readInstant() } catch {
                throw error.inside(name)
            }
        }
        self.ends = ends
    }

    /// Reads the next value of a text.
    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.expect(.object, "an object with privileges")
        var ends: [ExactText: Instant] = [:]
        try reader.takeMembers { reader, name throws(JSONError) in
            let start = reader.position
            switch try reader.takeValue() {
            case .null: ends[ExactText(name.text)] = .forever
            case let end:
                guard let end = try? end.readInstant() else { throw .inReplica("the end of a privilege is not a time", at: start) }
                ends[ExactText(name.text)] = end
            }
        }
        self.ends = ends
    }
}
