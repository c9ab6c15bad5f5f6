/// A format of another system that can be imported and compared.
public enum SourceFormat: String, CaseIterable, Sendable {
    case csv
    case casbin
    case openfga
    case spicedb
    case github
    case keycloak

    /// Reads the facts in files of this format.
    ///
    /// - Parameters:
    ///   - files: the files, read together; `-` is standard input.
    ///   - mapping: names and privileges.
    /// - Throws: ``SourceFileError`` for a file of another format or without content, and `UnreadableFileError`.
    public func facts(in files: [String], _ mapping: ImportMapping = ImportMapping()) throws -> SourceFacts {
        let sources = try files.map { try SourceFile($0) }
        var facts = SourceFacts(names: mapping.names)
        switch self {
        case .csv: try CSVSource(mapping).read(sources, into: &facts)
        case .casbin: CasbinSource(mapping).read(sources, into: &facts)
        case .openfga: try OpenFGASource.read(sources, mapping, into: &facts)
        case .spicedb: try SpiceDBSource.read(sources, mapping, into: &facts)
        case .github: try GitHubSource.read(sources, mapping, into: &facts)
        case .keycloak: try KeycloakSource.read(sources, mapping, into: &facts)
        }
        guard !facts.isEmpty || !facts.unmapped.isEmpty else {
            throw SourceFileError(
                file: sources.map(\.name).joined(separator: ", "),
                "there is no access in it, and its import would remove all that earlier ones brought; check the command that wrote it"
            )
        }
        facts.removeMembershipCycles()
        return facts
    }
}
