import Events

/// All commands, in the order of the help.
enum CommandTable {
    static let sections: [(title: String, commands: [Command])] = [
        ("Stores", [.initialize, .storeList, .lock, .importHistory, .compare, .exportHistory, .ask, .scenario]),
        ("Questions", [.check, .why, .privileges, .who, .what, .entries, .list, .show]),
        ("The past", [.history, .diff, .notices, .log, .refusals]),
        (
            "Audit",
            [
                .audit, .auditAccess, .auditTurnover, .auditFormer, .auditPaths, .auditSubject, .auditChanges, .auditEnds,
                .auditUnused,
            ]
        ),
        ("What would be", [.whatIf]),
        ("Access", [.grant, .revoke]),
        ("Principals", [.register, .roleCreate, .roleDelete, .roleAdd, .roleRemove, .roleMembers]),
        ("Administrators", [.adminAppoint, .adminDismiss, .adminList]),
        (
            "Objects",
            [.objectCreate, .objectWrite, .objectMove, .objectDelete, .objectOwner, .objectValue, .objectList]
        ),
        ("Classes", [.classDefine, .classChange]),
        ("Permissions", [.permissionDefine, .permissionChange, .permissionAttach, .permissionDetach]),
        (
            "The service",
            [.serve, .ready, .tokenCreate, .tokenList, .tokenShow, .tokenRevoke, .sessionList, .sessionRevoke, .decisions]
        ),
        ("Several machines", [.logSchema, .logMove, .logCopy, .logLeave, .tokenAdopt]),
        ("Accounts", [.accountFind, .accountShow, .accountList, .accountSignOut, .accountDelete, .accountVerify]),
        (
            "Upkeep",
            [.verify, .rebuild, .acceptRollback, .correctClock, .statistics, .confusableNames, .backup, .restore, .backupDrill]
        ),
        ("The shell", [.completions, .complete, .manual]),
    ]

    static let commands = sections.flatMap(\.commands)

    /// All options of all commands, by name.
    static let options: [String: Option] = {
        let all: [Option] = commands.flatMap(\.options) + [Option.help, Option.version]
        return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// Returns the command at the start of the words, and the remaining words.
    static func command(in words: [String]) throws -> (Command, ArraySlice<String>) {
        for count in [2, 1] where words.count >= count {
            let name = words.prefix(count).joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) { return (command, words.dropFirst(count)) }
        }
        throw unknown(words)
    }

    /// Returns the commands with names that begin with these words.
    static func commands(named words: [String]) throws -> [Command] {
        let found = commands.filter { $0.name.split(separator: " ").map(String.init).starts(with: words) }
        if found.isEmpty { throw unknown(words) }
        return found
    }

    private static func unknown(_ words: [String]) -> UsageError {
        guard let first = words.first else { return UsageError("the command is missing") }
        let group = commands.map(\.name).filter { $0.hasPrefix(first + " ") }
        guard group.isEmpty else {
            let list = group.map { "`\($0)`" }.joined(separator: ", ")
            let problem = words.count > 1 ? "unknown command `\(first) \(words[1])`" : "`\(first)` is not a complete command"
            return UsageError("\(problem); use \(list)")
        }
        let firstWords = commands.map { String($0.name.prefix { $0 != " " }) } + ["help"]
        let remedy = first.nearest(among: firstWords).map { "; did you mean `\($0)`?" } ?? ""
        return UsageError("unknown command `\(first)`\(remedy)")
    }
}
