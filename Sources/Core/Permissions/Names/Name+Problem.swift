public import Primitives

extension Name {
    /// The reason the form of this name is invalid; nil for a well-formed name.
    public var problem: Refusal? { fault.map(Refusal.init) }

    /// The reason this name cannot be used for a new entity, although its form is valid; nil if it can. Existing names are not affected.
    package var problemAsNew: Refusal? { faultAsNew.map(Refusal.init) }

    /// Returns the same for a text that is part of a name, or will be.
    package static func problem(asNew text: String) -> Refusal? { fault(asNew: text).map(Refusal.init) }
}

extension Refusal {
    fileprivate init(_ fault: NameFault) {
        switch fault {
        case .malformed(let message): self.init(.malformed, message)
        case .tooLarge(let message): self.init(.tooLarge, message)
        }
    }
}
