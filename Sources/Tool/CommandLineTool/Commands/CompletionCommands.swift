extension Command {
    static let completions = Command(
        "completions", "print the script that lets a shell complete commands, options and names", sentence: "bash|zsh|fish",
        options: [], example: Example("completions fish", "# fish completion for muniment\n…")
    ) { call in
        let shell = try call.word("the shell")
        try call.end()
        guard let script = CompletionScripts.shells[shell] else {
            throw UsageError("`\(shell)` is not a known shell; write bash, zsh or fish")
        }
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) { try call.output.line(String(line)) }
        return .success
    }

    static let complete = Command(
        "complete", "print the words that can continue a call; for the scripts of completions", sentence: "[WORD…]", options: [],
        example: Example("complete -- check user:a", "user:ann")
    ) { call in
        for candidate in Completer(call.remainingWords()).candidates { try call.output.line(candidate) }
        return .success
    }
}
