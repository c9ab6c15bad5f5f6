import Foundation
import Testing

@Suite(
    "Terminal: colours, a pager and progress, and none of them in a pipe",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
struct TerminalTests {
    /// Runs a call on a terminal, and returns what the terminal shows.
    private func shown(_ tool: BuiltTool, _ sentence: String, _ variables: String) throws -> String {
        let result = try tool.shell("\(variables) script -qfec '\"$muniment\" \(sentence)' typescript < /dev/null")
        #expect(result.code == 0, "\(sentence): \(result.output)")
        return result.output.replacingOccurrences(of: "\r\n", with: "\n")
    }

    @Test("Text has colours on a terminal, and none with NO_COLOR, on a dumb terminal and in a pipe")
    func colors() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try shown(tool, "log --from 5", "PAGER=cat").hasPrefix("\u{1B}[33mr5\u{1B}[m  2"))
            #expect(try shown(tool, "check user:ann read doc:plan", "PAGER=").hasPrefix("\u{1B}[32myes\u{1B}[m\n"))
            #expect(try shown(tool, "diff user:ann --from 4", "PAGER=cat") == "doc:plan  \u{1B}[32m+ read\u{1B}[m\n")
            #expect(try shown(tool, "admin list --format table", "PAGER=cat").hasPrefix("\u{1B}[1mADMINISTRATOR\u{1B}[m\n"))
            for plain in [
                try shown(tool, "log", "PAGER=cat NO_COLOR=1"), try shown(tool, "log", "PAGER=cat TERM=dumb"),
                try tool.make("log").output, try shown(tool, "log --json", "PAGER=cat"),
            ] {
                #expect(!plain.contains("\u{1B}") && plain.contains("user:root"))
            }
        }
    }

    @Test("A list goes through the pager on a terminal, and to nothing else in a pipe")
    func pager() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let pages = "NO_COLOR=1 PAGER=\"sed s/^/page:/\""
            let log = try tool.make("log").lines
            #expect(try shown(tool, "log", pages) == log.map { "page:" + $0 + "\n" }.joined())
            #expect(try shown(tool, "check user:ann read doc:plan", pages).hasPrefix("yes\n"))
            #expect(try shown(tool, "log", pages + " TERM=dumb") == log.map { $0 + "\n" }.joined())
            #expect(try tool.shell(pages + " \"$muniment\" log").lines == log)
            // If the reader closes the pager early, the tool reports no error.
            #expect(try shown(tool, "log", "NO_COLOR=1 PAGER=\"head -n 1\"") == log[0] + "\n")
        }
    }

    @Test("A command of more than a second shows on the terminal that it runs, and removes the line")
    func progress() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            // The question arrives after the terminal has shown that the tool waits.
            try tool.write(
                """
                mkfifo questions
                (exec 3>questions; until grep -q 'ask  [1-9]' typescript; do sleep 0.1; done; echo '{"ask":"check","subject":"user:ann","object":"doc:plan","privilege":"read"}' >&3) &
                "$muniment" ask questions > answers

                """, to: "script")
            let result = try tool.shell("script -qfec 'sh script' typescript < /dev/null")
            #expect(result.output.contains(/ask  [1-9][0-9]* s/))
            #expect(result.output.hasSuffix("\r\u{1B}[K"))
            #expect(try tool.shell("cat answers").output.contains("\"answer\":true"))
        }
    }
}
