/// A format of another system that can be imported and compared.
public enum SourceFormat: String, CaseIterable, Sendable {
    case csv
    case sqlite
    case casbin
    case openfga
    case spicedb
    case github
    case keycloak

    /// Reads the facts in files of this format.
    ///
    /// - Parameters:
    ///   - files: the files, read together; `-` is standard input, which cannot be a database.
    ///   - mapping: names and privileges.
    /// - Throws: ``SourceFileError`` for a file of another format or without content, and `UnreadableFileError`.
    public func facts(in files: [String], _ mapping: ImportMapping = ImportMapping()) throws -> SourceFacts {
        var facts = SourceFacts(names: mapping.names)
        let sources = self == .sqlite ? [] : try files.map { try SourceFile($0) }
        switch self {
        case .csv: try TableSource(mapping).read(sources.map { try SourceTable(csv: $0) }, into: &facts)
        case .sqlite: try TableSource(mapping).read(files.flatMap { try SQLiteTables.read($0, mapping) }, into: &facts)
        case .casbin: CasbinSource(mapping).read(sources, into: &facts)
        case .openfga: try OpenFGASource.read(sources, mapping, into: &facts)
        case .spicedb: try SpiceDBSource.read(sources, mapping, into: &facts)
        case .github: try GitHubSource.read(sources, mapping, into: &facts)
        case .keycloak: try KeycloakSource.read(sources, mapping, into: &facts)
        }
        guard !facts.isEmpty || !facts.unmapped.isEmpty else {
            throw SourceFileError(
                file: files.map { $0 == "-" ? SourceFile.standardInput : $0 }.joined(separator: ", "),
                "it contains no access, and its import would remove all that earlier ones brought; check the command that wrote it"
            )
        }
        facts.removeMembershipCycles()
        return facts
    }
}
