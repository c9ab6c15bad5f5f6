internal import Events

/// Where the objects that a query looks at come from, one after another.
protocol CandidateSource: AnyObject {
    /// The next object; nil behind the last.
    func next() throws -> Candidate?
    func close()
}

/// An object that a query looks at.
struct Candidate {
    let object: ObjectID
    /// What the object has in the property that led to it; nil where none did.
    var key: PropertyKey?
}
