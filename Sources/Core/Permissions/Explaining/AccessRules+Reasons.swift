public import Events

/// The rules of access in a form that collects every reason. The verdict is the same, and no grant is left out.
extension AccessRules where State: ExplainableState {
    /// Returns the grants that give a caller privileges on an object; nil if the object does not exist.
    ///
    /// Costs as much as a check that finds nothing. If links are followed, linear in the links up to a limit.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - object: any object, including built-in ones.
    ///   - wanted: the privileges in the question.
    ///   - linkLimit: the maximum number of chains of links.
    public func reasons(
        for subjects: SubjectSet, on object: ObjectID, wanted: Privileges, linkLimit: Int = ExplanationLimits.chainsOfLinks
    ) throws -> Reasons? {
        guard let place = try state.place(of: object), let options = try state.options(of: place.classID) else { return nil }
        // Without `update` at the store level, create and delete are denied too.
        let needed = wanted.isDisjoint(with: [.create, .delete]) ? wanted : wanted.union(.update)
        let store = try state.storeGrants(to: subjects, at: instant, wanted: needed)
        let reasons = try objectReasons(for: subjects, on: object, at: place, options, wanted: wanted)
        var links: (found: [LinkReasons], isComplete: Bool) = ([], true)
        if wanted.contains(.read), options.readThroughLinks {
            var search = LinkSearch(self, subjects)
            links = try search.chains(to: reasons, limit: linkLimit)
        }
        return Reasons(
            ancestry: try state.ancestry(of: subjects.caller), store: store, object: reasons, links: links.found,
            linksAreComplete: links.isComplete)
    }

    func objectReasons(
        for subjects: SubjectSet, on object: ObjectID, at place: Place, _ options: ClassOptions, wanted: Privileges
    ) throws -> ObjectReasons {
        let ownOptions = options
        let classLevel = try state.classGrants(of: place.classID, to: subjects, at: instant, wanted: wanted)
        var standings: [Standing] = []
        var mask = wanted
        var (object, place, options) = (object, place, options)
        while true {
            let isOpen = options.objectACL == .none
            let grants = isOpen ? [] : try state.grants(on: object, to: subjects, at: instant, wanted: mask)
            standings.append(Standing(object: object, classID: place.classID, mask: mask, isOpen: isOpen, grants: grants))
            mask.formIntersection(options.inherits)
            // A parent that no longer exists gives nothing.
            guard !isOpen, !mask.isEmpty, let parent = place.parent, let parentPlace = try state.place(of: parent),
                let parentOptions = try state.options(of: parentPlace.classID)
            else { break }
            (object, place, options) = (parent, parentPlace, parentOptions)
        }
        return ObjectReasons(options: ownOptions, classLevel: classLevel, standings: standings)
    }
}

extension ObjectReasons {
    func levels(_ store: Privileges) -> Levels {
        Levels(store: store, classLevel: classLevel.privileges, object: objectPart, composition: options.composition)
    }
}
