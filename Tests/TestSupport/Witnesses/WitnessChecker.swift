public import Events
public import Permissions

/// Checks witnesses against only the commits of a log. It uses neither an index nor the store's access rules.
///
/// Claims that access is present must follow from the cited events; claims that it is missing are checked in a plain fold of the
/// log.
public struct WitnessChecker {
    private let log: WitnessedLog
    private let model: NaiveModel
    private let names: NaiveNames
    private let privilegeNames: PrivilegeNames

    /// - Parameter commits: the whole log, starting with the genesis commit.
    public init(_ commits: [Commit]) throws {
        log = WitnessedLog(commits)
        model = try NaiveModel(commits)
        let state = model.view(.revision(model.head), now: .distantPast).state
        (names, privilegeNames) = (state.names, state.privilegeNames)
    }

    /// Returns the errors in a witness, or nil if it is correct.
    public func faults(in witness: Witness) -> [String] {
        guard witness.revision <= model.head else { return ["the log has no revision \(witness.revision)"] }
        var faults = namingFaults(witness)
        let view = NaiveView(state: model.view(.revision(witness.revision), now: witness.instant).state, now: witness.instant)
        let check = WitnessCheck(witness: witness, log: log, view: view)
        for fact in check.facts { if let fault = log.fault(in: fact, at: witness.revision) { faults.append(fault) } }
        return faults + check.faults()
    }

    public func isSound(_ witness: Witness) -> Bool { faults(in: witness).isEmpty }

    /// Checks whether the names are those of the log.
    private func namingFaults(_ witness: Witness) -> [String] {
        var faults: [String] = []
        for (number, name) in witness.names where !names.name(of: ObjectID(rawValue: number)).text.utf8.elementsEqual(name.utf8) {
            faults.append("#\(number) is not called \(name)")
        }
        if let caller = witness.caller, names.has(caller), names.name(of: caller) != witness.subject {
            faults.append("\(caller) is not \(witness.subject)")
        }
        if let caller = witness.caller, !names.has(caller), names.id(of: witness.subject, as: PrincipalID.self) != nil {
            faults.append("\(witness.subject) has another number than \(caller)")
        }
        if let object = witness.target?.object, names.name(of: object) != witness.object {
            faults.append("\(object) is not \(witness.object)")
        }
        if witness.privilegeNames != privilegeNames { faults.append("the privileges have other names") }
        let numbers = witness.privileges.compactMap(privilegeNames.privilege)
        if numbers.count == witness.privileges.count, numbers != witness.wanted {
            faults.append("other privileges were asked about")
        }
        if witness.outcomes.map(\.privilege) != witness.privileges { faults.append("the outcomes are of other privileges") }
        return faults
    }
}
