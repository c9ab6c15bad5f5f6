import Events
import Permissions

/// Checks whether the facts of one witness lead to its answer. Another check covers whether each fact is true.
struct WitnessCheck {
    let witness: Witness
    let log: WitnessedLog
    let view: NaiveView

    /// Every fact, at any position.
    var facts: [WitnessedFact] {
        func facts(_ object: WitnessedObject) -> [WitnessedFact] {
            [object.existence, object.options] + (object.classLevel + object.objectPart).flatMap(facts)
        }
        func facts(_ path: WitnessedPath) -> [WitnessedFact] { path.facts + path.sources.flatMap(facts) }
        return [witness.appointment].compactMap(\.self) + witness.storeLevel.flatMap(facts)
            + [witness.target].compactMap(\.self).flatMap(facts)
    }

    func faults() -> [String] {
        switch witness.outcomes.first?.decider {
        case nil: return []
        case .unknownSubject:
            return view.isCaller(witness.subject) ? ["\(witness.subject) is there"] : deniedFaults(.unknownSubject)
        case .unknownPrivilege where witness.wanted.isEmpty:
            let isKnown = witness.privileges.contains { view.state.privileges([$0]) != nil }
            return isKnown ? ["the privileges are known"] : deniedFaults(.unknownPrivilege)
        case .unknownObject:
            let object: ObjectID? = view.state.names.id(of: witness.object)
            let isThere = object.map(view.state.exists) ?? false
            return isThere ? ["\(witness.object) is there"] : deniedFaults(.unknownObject)
        default: break
        }
        guard let target = witness.target else { return ["nothing is said about \(witness.object)"] }
        guard let caller = witness.caller else { return ["nobody is asked about"] }
        guard let options = options(of: target) else { return ["the class of \(target.object) is not told"] }
        if let appointment = witness.appointment {
            guard appointment.fact == .administrator(caller) else { return ["somebody else administers"] }
            return outcomeFaults { options.known.contains($0) ? (.administrator, []) : (.unknownToClass, []) }
        }
        if view.isAdministrator(witness.subject) { return ["\(witness.subject) is an administrator"] }
        return levelFaults(target, options)
    }

    private func deniedFaults(_ decider: PrivilegeResult.Decider) -> [String] { outcomeFaults { _ in (decider, []) } }

    /// Compares the outcomes with the expected ones, for each privilege; no failing level is reported for a privilege that the
    /// caller has.
    private func outcomeFaults(_ expected: (Privileges) -> (PrivilegeResult.Decider, [DecidingLevel])) -> [String] {
        var faults: [String] = []
        let denials: Set<PrivilegeResult.Decider> = [.unknownSubject, .unknownObject, .unknownPrivilege, .unknownToClass]
        for (index, outcome) in witness.outcomes.enumerated() {
            let wanted = index < witness.wanted.count ? witness.wanted[index] : []
            let isUnknown = !witness.wanted.isEmpty && wanted.isEmpty
            if isUnknown, view.state.privileges([outcome.privilege]) != nil { faults.append("\(outcome.privilege) is known") }
            let (decider, failing) = isUnknown ? (.unknownPrivilege, []) : expected(wanted)
            let isAllowed = failing.isEmpty && !denials.contains(decider)
            if outcome.isAllowed != isAllowed || outcome.decider != decider || outcome.failing != failing {
                faults.append("\(outcome) is to be \(isAllowed), decided by \(decider), failing at \(failing)")
            }
        }
        return faults
    }

    // MARK: Levels

    private func levelFaults(_ target: WitnessedObject, _ options: ClassOptions) -> [String] {
        var faults = pathFaults(target) + permanenceFaults(witness.storeLevel + target.classLevel + target.objectPart)
        // The access from the paths is present. All other access must also be missing in the plain fold.
        let store = privileges(witness.storeLevel)
        let (classLevel, part) = (privileges(target.classLevel), privileges(target.objectPart))
        let subjects = view.subjects(of: witness.subject)
        let readable = view.readableObjects(subjects)
        var naivePart = view.base(target.object, subjects)
        let all = Privileges(witness.wanted)
        let needed = all.isDisjoint(with: [.create, .delete]) ? all : all.union(.update)
        let storeMissing = needed.subtracting(store)
        if !storeMissing.isDisjoint(with: view.level(.store, subjects)) { faults.append("the store level gives more than is told") }
        let naiveClass = view.level(ObjectID(classID(of: target)), subjects)
        // If read is given anyway, a link may be missing: it can be a link that leads back from the object itself.
        let lowerLevels = options.composition == .widening ? naiveClass.union(naivePart) : naiveClass.intersection(naivePart)
        let isGivenAnyway = lowerLevels.intersection(view.level(.store, subjects)).contains(.read)
        if options.readThroughLinks, !isGivenAnyway, view.isLinked(target.object, from: readable) { naivePart.formUnion(.read) }
        if !all.subtracting(classLevel).isDisjoint(with: naiveClass) { faults.append("the class level gives more than is told") }
        // A link matters only if nothing else gives read and the levels above allow it.
        if !all.subtracting(part).isDisjoint(with: naivePart) { faults.append("the object part gives more than is told") }
        let isWidening = options.composition == .widening
        let lower = isWidening ? all.subtracting(classLevel.union(part)) : nil
        let missing: [DecidingLevel: Privileges] = [
            .store: storeMissing, .class: lower ?? all.subtracting(classLevel), .object: lower ?? all.subtracting(part),
        ]
        if witness.missing != missing.filter({ !$0.value.isEmpty }) { faults.append("\(witness.missing) is to be \(missing)") }
        return faults
            + outcomeFaults { privilege in
                let fromStore = privilege.isDisjoint(with: [.create, .delete]) ? privilege : privilege.union(.update)
                var failing: [DecidingLevel] = fromStore.isSubset(of: store) ? [] : [.store]
                if isWidening {
                    if privilege.isDisjoint(with: classLevel.union(part)) { failing += [.class, .object] }
                } else {
                    if privilege.isDisjoint(with: classLevel) { failing.append(.class) }
                    if privilege.isDisjoint(with: part) { failing.append(.object) }
                }
                guard options.known.contains(privilege) else { return (.unknownToClass, failing) }
                switch failing.first {
                case .store?: return (.store, failing)
                case .class?: return (.class, failing)
                case .object?: return (.object, failing)
                case nil: break
                }
                if isWidening { return (classLevel.contains(privilege) ? .class : .object, []) }
                return (options.objectACL == .required ? .object : .class, [])
            }
    }

    private func privileges(_ paths: [WitnessedPath]) -> Privileges { paths.reduce(into: []) { $0.formUnion($1.privileges) } }

    private func options(of object: WitnessedObject) -> ClassOptions? {
        guard case .object(object.object, let classID) = object.existence.fact,
            case .options(classID, let options) = object.options.fact
        else { return nil }
        return options
    }

    private func classID(of object: WitnessedObject) -> ClassID {
        if case .object(_, let classID) = object.existence.fact { classID } else { .store }
    }

    /// Checks a claim about a revocation in the fold: it is the owner's entry, and has no separate event.
    private func permanenceFaults(_ paths: [WitnessedPath]) -> [String] {
        paths.filter { path in
            var isPermanent = false
            for case .entry(let subject, let object, let privileges, _) in path.facts.map(\.fact) {
                let permanent = view.state.permanent[object]?[subject] ?? []
                isPermanent = !permanent.isDisjoint(with: privileges.intersection(path.privileges))
            }
            return path.isPermanent != isPermanent
        }
        .map { "\($0) is told to be permanent, or not to be" }
    }

    // MARK: Paths

    private func pathFaults(_ target: WitnessedObject) -> [String] {
        let classObject = ObjectID(classID(of: target))
        return witness.storeLevel.filter { !leads($0, to: .store) }.map { "\($0) does not lead to the store" }
            + target.classLevel.filter { !leads($0, to: classObject) }.map { "\($0) does not lead to the class" }
            + target.objectPart.filter { !($0.sources.isEmpty ? descends($0, to: target) : links($0, to: target)) }
            .map { "\($0) does not lead to the object" }
    }

    /// Whether a path gives the claimed access on this very object.
    private func leads(_ path: WitnessedPath, to object: ObjectID) -> Bool {
        guard let gift = gift(path), gift.rest.isEmpty, gift.object == object else { return false }
        return gift.privileges.isSuperset(of: path.privileges) && !path.privileges.isEmpty
    }

    /// Whether a path gives the claimed access on this object or on one that it inherits from.
    private func descends(_ path: WitnessedPath, to target: WitnessedObject) -> Bool {
        guard let options = options(of: target), !path.privileges.isEmpty else { return false }
        var (given, top, rest): (Privileges, ObjectID, ArraySlice<WitnessedFact>)
        if case .options(let classID, let open)? = path.facts.first?.fact, path.beginning == nil {
            guard open.objectACL == .none else { return false }
            rest = path.facts.dropFirst()
            guard let (object, itsClass) = rest.first.map({ $0.fact.object }) ?? target.existence.fact.object, itsClass == classID
            else { return false }
            (given, top) = (.all, object)
        } else {
            guard let found = gift(path) else { return false }
            (given, top, rest) = (found.privileges, found.object, found.rest)
            if rest.isEmpty, options.objectACL == .none { return false }
        }
        while !rest.isEmpty {
            let step = rest.prefix(3).map(\.fact)
            rest = rest.dropFirst(3)
            guard step.count == 3, case .object(top, _) = step[0], case .child(let child, of: top) = step[1],
                case .options(let classID, let its) = step[2], its.objectACL == .required
            else { return false }
            let itsClass = rest.first?.fact.object ?? target.existence.fact.object
            guard let itsClass, itsClass.0 == child, itsClass.1 == classID else { return false }
            given.formIntersection(its.inherits)
            top = child
        }
        return top == target.object && given.isSuperset(of: path.privileges)
    }

    /// Whether a chain of links leads from something readable to this object.
    private func links(_ path: WitnessedPath, to target: WitnessedObject) -> Bool {
        guard path.privileges == .read, path.facts.count == path.sources.count, options(of: target)?.readThroughLinks == true,
            Set(path.sources.map(\.object)).union([target.object]).count == path.sources.count + 1
        else { return false }
        let storeReads = privileges(witness.storeLevel).contains(.read)
        var linked = target.object
        for (index, source) in path.sources.enumerated() {
            guard storeReads, path.facts[index].fact == .link(source.object, to: linked), let its = options(of: source),
                source.classLevel.allSatisfy({ leads($0, to: ObjectID(classID(of: source))) }),
                source.objectPart.allSatisfy({ descends($0, to: source) })
            else { return false }
            let (classReads, partReads) = (
                privileges(source.classLevel).contains(.read), privileges(source.objectPart).contains(.read)
            )
            let isLast = index == path.sources.count - 1
            let hasPart = isLast ? partReads : its.readThroughLinks
            guard its.composition == .widening ? classReads || hasPart : classReads && hasPart else { return false }
            linked = source.object
        }
        return true
    }

    private struct Gift {
        let object: ObjectID
        let privileges: Privileges
        let rest: ArraySlice<WitnessedFact>
    }

    /// The first part of a path: memberships up to a subject, and the grant to it; then the remaining facts.
    private func gift(_ path: WitnessedPath) -> Gift? {
        guard let caller = witness.caller, var subject = path.beginning,
            subject == caller || subject == .anonymous || subject == .everyone && caller != .anonymous
        else { return nil }
        var facts = path.facts[...]
        while case .member(subject, of: let role)? = facts.first?.fact {
            subject = role
            facts = facts.dropFirst()
        }
        switch facts.first?.fact {
        case .entry(subject, on: let object, let privileges, until: let until)?:
            return until > witness.instant ? Gift(object: object, privileges: privileges, rest: facts.dropFirst()) : nil
        case .permission(let permission, subject, let privileges)?:
            guard case .attachment(permission, to: let object)? = facts.dropFirst().first?.fact else { return nil }
            return Gift(object: object, privileges: privileges, rest: facts.dropFirst(2))
        default: return nil
        }
    }
}

extension Fact {
    fileprivate var object: (ObjectID, ClassID)? {
        if case .object(let object, let classID) = self { (object, classID) } else { nil }
    }
}

extension NaiveView {
    /// Whether some other object of these links to one.
    func isLinked(_ target: ObjectID, from readable: Set<ObjectID>) -> Bool {
        readable.contains { $0 != target && links($0, to: target) }
    }
}
