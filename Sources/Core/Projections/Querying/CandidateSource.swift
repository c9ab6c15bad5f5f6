internal import Events

/// A source of the objects that a query examines, in sequence.
protocol CandidateSource: AnyObject {
    /// Returns the next object; nil after the last.
    func next() throws -> Candidate?
    func close()
}

/// An object that a query examines.
struct Candidate {
    let object: ObjectID
    /// The key of the property that the object was found by; nil if it was found in another way.
    var key: PropertyKey?
}
