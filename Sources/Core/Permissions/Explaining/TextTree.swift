/// A line with other lines below it, for a terminal.
struct TextTree {
    let text: String
    /// A note after the text, in a separate column.
    let note: String
    let branches: [TextTree]

    init(_ text: String, note: String = "", _ branches: [TextTree] = []) {
        self.text = text
        self.note = note
        self.branches = branches
    }

    /// The lines, with the notes aligned.
    var lines: [String] {
        let lines = drawn(first: "", rest: "")
        let width = lines.filter { !$0.note.isEmpty }.map(\.text.count).max() ?? 0
        return lines.map {
            $0.note.isEmpty ? $0.text : $0.text + String(repeating: " ", count: width - $0.text.count) + "  " + $0.note
        }
    }

    private func drawn(first: String, rest: String) -> [(text: String, note: String)] {
        var lines = [(first + text, note)]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            lines += branch.drawn(first: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "))
        }
        return lines
    }
}
