import Files
import Foundation

extension Option {
    fileprivate static let folder = Option("into", value: "DIR", "write all pages into this folder, as files for section 1")
}

extension Command {
    static let manual = Command(
        "man", "print the manual page of the tool or of a command, in troff", sentence: "[COMMAND]", options: [.folder],
        example: Example("man grant", ".TH MUNIMENT\\-GRANT 1 \"\" \"muniment \(Tool.version)\" \"Muniment\"\n…")
    ) { call in
        let words = call.remainingWords()
        if let folder = call.options[.folder] {
            guard words.isEmpty else { throw UsageError("`--into` writes all pages; omit `\(words.joined(separator: " "))`") }
            try requireFolder(folder)
            for page in ManPage.all {
                try replaceFile(folder + "/" + page.fileName, with: Array((page.lines.joined(separator: "\n") + "\n").utf8))
            }
            return .success
        }
        let page = words.isEmpty ? ManPage() : ManPage(try CommandTable.command(in: words).0)
        for line in page.lines { try call.output.line(line) }
        return .success
    }
}
