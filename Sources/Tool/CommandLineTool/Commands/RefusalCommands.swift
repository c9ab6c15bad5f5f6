import Events
import Muniment

extension Option {
    fileprivate static let since = Option("since", value: "NUMBER", "the first refusal (default: the oldest)")
}

extension Command {
    static let refusals = Command(
        "refusals", "list refused commands, oldest first: caller, command, time and reason",
        options: [.since, .json, .store],
        example: Example(
            "refusals --since 1",
            """
            #1  2026-01-31T10:15:00Z  user:bob  noPrivilege
                {"op":"grant","subject":"user:bob","object":"folder:top","privileges":["read"]}
                the caller lacks `setPermissions` on `folder:top`: somebody who may set permissions there can grant it
            """)
    ) { call in
        try call.end()
        let since = try call.options[.since].map(Values.refusal) ?? .first
        let (output, isJSON) = (call.output, call.isJSON)
        try call.withStore(.reading) { store in
            try store.refusals(from: since) { refusal, hash in
                let description = RefusalDescription(refusal, hash: hash)
                if isJSON { return try output.json(description.json) }
                for line in description.lines { try output.line(line) }
            }
        }
        return .success
    }
}
