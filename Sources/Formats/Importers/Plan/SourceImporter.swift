public import Events
public import Muniment
internal import Permissions

/// Brings the facts of another system into a store, and only what changed since the last import of the same source.
public struct SourceImporter {
    private let directory: String
    private let source: String
    private let caller: Name
    private let options: StoreOptions

    /// The result of an import.
    public struct Summary: Sendable {
        public let plan: ImportPlan
        /// The head of the store; nil if the store does not exist.
        public let revision: Revision?
    }

    /// - Parameters:
    ///   - directory: the store, created locked if it does not exist.
    ///   - source: the name of the source. Imports with the same name replace each other's facts.
    ///   - caller: the administrator that makes the changes.
    ///   - options: the options of the store.
    public init(into directory: String, source: String, as caller: Name, options: StoreOptions = StoreOptions()) {
        (self.directory, self.source, self.caller, self.options) = (directory, source, caller, options)
    }

    /// Returns the changes of an import, without making them.
    ///
    /// - Throws: ``SourceFileError`` if none of the access can be mapped; an error of the store.
    public func plan(_ facts: SourceFacts) throws -> Summary {
        let facts = try accessible(facts)
        guard Store.exists(at: directory) else { return Summary(plan: try newStorePlan(facts), revision: nil) }
        return try withStore(.reading) { Summary(plan: try plan(facts, for: $0), revision: try $0.head.revision) }
    }

    /// Returns the facts without those of users that the source calls like an administrator of the store; they become unmapped.
    ///
    /// - Throws: an error of the store.
    public func mappable(_ facts: SourceFacts) throws -> SourceFacts {
        var facts = facts
        let administrators =
            Store.exists(at: directory)
            ? try withStore(.reading) { try $0.read { try $0.administrators() } }.map { Name($0) } : [caller]
        facts.removeAdministrators(administrators)
        return facts
    }

    /// Imports the facts. A repeated import of the same facts changes nothing.
    ///
    /// - Throws: ``SourceFileError`` if none of the access can be mapped; `Refusal` if the caller does not administer the store, or
    ///   the store refuses a change; an error of the store. The steps before the refused one are then in the store, and the next
    ///   import continues.
    public func run(_ facts: SourceFacts) throws -> Summary {
        let facts = try accessible(facts)
        if !Store.exists(at: directory) {
            var options = options
            // The store must not be younger than the first commit.
            if let begin = try newStorePlan(facts).steps.first?.time { options.clock = { begin } }
            try Store.create(at: directory, administrator: caller, options: options).close()
        }
        return try withStore(.writing) { store in
            guard try store.read({ try $0.administrators() }).contains(where: { Name($0) == caller }) else {
                throw Refusal(
                    .notAdministrator, "`\(caller.excerpt)` does not administer the store: import as an administrator with `--as`")
            }
            let plan = try plan(facts, for: store)
            let importer = try store.importer()
            // The line marks the commit as imported; the facts of a step are from many lines.
            let origin = Origin(requestID: BroughtFacts.requestID(of: source), importLine: 1)
            do {
                for step in plan.steps {
                    _ = try importer.add(
                        Transaction(caller, step.changes, origin: origin, authority: .importer, time: step.time))
                }
            } catch {
                try? importer.finish()
                throw error
            }
            try importer.finish()
            return Summary(plan: plan, revision: try store.head.revision)
        }
    }

    /// Returns the mappable facts. Throws if no access is among them, since their import would remove what earlier ones brought.
    private func accessible(_ facts: SourceFacts) throws -> SourceFacts {
        let facts = try mappable(facts)
        guard !facts.isWithoutAccess else {
            throw SourceFileError(
                file: "source `\(source)`",
                "none of its access can be mapped, and its import would remove all that earlier ones brought; correct the source")
        }
        return facts
    }

    private func newStorePlan(_ facts: SourceFacts) throws -> ImportPlan {
        var planner = ImportPlanner(
            facts, PresentState(nil, isOpen: false), brought: BroughtFacts(), head: nil, now: options.clock())
        return try planner.plan()
    }

    private func plan(_ facts: SourceFacts, for store: Store) throws -> ImportPlan {
        let head = try store.head
        let isNew = head.revision == .genesis
        let brought = isNew ? BroughtFacts() : try BroughtFacts(of: source, in: store)
        return try store.read { snapshot in
            let present = PresentState(snapshot, isOpen: try store.preset == .open)
            var planner = ImportPlanner(
                facts, present, brought: brought, head: isNew ? nil : head.time, now: options.clock())
            return try planner.plan()
        }
    }

    private func withStore<R>(_ access: StoreAccess, _ body: (Store) throws -> R) throws -> R {
        var options = options
        options.expiryRecording = .withCommits
        let store = try Store.open(at: directory, access, options: options)
        let result: R
        do { result = try body(store) } catch {
            // The first error is the relevant one.
            try? store.close()
            throw error
        }
        try store.close()
        return result
    }
}
