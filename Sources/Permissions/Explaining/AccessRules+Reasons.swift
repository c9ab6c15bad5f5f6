public import Events

/// The rules once more, keeping all that they find: the verdict is the same, and nothing that gives anything is left out.
extension AccessRules where State: ExplainableState {
    /// What gives a caller some privileges on an object; nil where there is no such object.
    ///
    /// As much work as a check that finds nothing; where links are followed, linear in the links up to a limit.
    ///
    /// - Parameters:
    ///   - subjects: whom the caller counts as.
    ///   - object: any object, built-in ones included.
    ///   - wanted: the privileges that are asked about.
    ///   - linkLimit: how many chains of links to find at most.
    public func reasons(
        for subjects: SubjectSet, on object: ObjectID, wanted: Privileges, linkLimit: Int = ExplanationLimits.chainsOfLinks
    ) throws -> Reasons? {
        guard let place = try state.place(of: object), let options = try state.options(of: place.classID) else { return nil }
        // Without `update` at the store level nothing can be created or deleted either.
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
            // A parent that is there no more gives nothing.
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
