import Events
import Service

extension Invocation {
    /// Returns a warning for each store in an option of `serve` that does not exist. It may be created later, so this is not an error.
    ///
    /// - Parameters:
    ///   - stores: the stores of the service.
    ///   - directory: the data directory.
    func unknownStoreWarnings(_ stores: [StoreName], in directory: String) -> [String] {
        let known = stores.map(\.text)
        return [Option.issuerStores, .anonymous, .decisions].flatMap { option in
            Values.list(options[option] ?? "").filter { $0 != "*" && !known.contains($0) }.map { name in
                let remedy =
                    name.nearest(among: known).map { "did you mean `\($0)`?" }
                    ?? "correct the name, or create the store with `muniment init --store \(directory)/\(name)`"
                return "--\(option.name): the store `\(name)` does not exist; \(remedy)"
            }
        }
    }

    /// Writes the warnings about options of a service that has just opened its stores.
    func warnOfOptions(_ settings: ServiceSettings, _ log: ServiceLog) {
        if let issuerWarning { log.write(.warning, issuerWarning) }
        guard let survey = try? DataDirectorySurvey(settings.dataDirectory) else { return }
        for warning in unknownStoreWarnings(survey.stores + survey.missing, in: settings.dataDirectory) {
            log.write(.warning, warning)
        }
    }
}
