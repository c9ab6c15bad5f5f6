import Foundation
import Testing

@Suite("The manual: troff pages from the same table as help")
struct ManualTests {
    private static let groff = "/usr/bin/groff"

    private func names(_ tool: BuiltTool) throws -> [String] {
        try tool.make("help").lines.filter { $0.hasPrefix("  ") }.compactMap {
            $0.dropFirst(2).components(separatedBy: "  ").first
        }
    }

    @Test("There is a page for the tool and for each command, with all options of its help")
    func pages() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("man --into .")
            let names = try names(tool)
            let files = names.map { "muniment-" + $0.replacingOccurrences(of: " ", with: "-") + ".1" } + ["muniment.1"]
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: tool.folder.path)) == Set(files))
            for name in ["grant", "audit access", "serve"] {
                let page = try tool.make("man " + name).output.replacingOccurrences(of: "\\-", with: "-")
                let options = try tool.make("help " + name).output.matches(of: #/\n  --([a-z-]+) /#).map { String($0.1) }
                #expect(options.count > 2)
                for option in options { #expect(page.contains("\\fB--\(option)\\fR"), "\(name) --\(option)") }
            }
            let overview = try tool.make("man").output.replacingOccurrences(of: "\\-", with: "-")
            for name in names { #expect(overview.contains("\\fB\(name)\\fR"), "\(name)") }
        }
    }

    @Test("groff formats every page without a warning", .enabled(if: FileManager.default.isExecutableFile(atPath: groff)))
    func formats() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("man --into .")
            let result = try tool.shell("for page in *.1; do \(Self.groff) -man -Tutf8 -P-c -P-b -P-u -ww $page; done")
            #expect(result.errors.isEmpty, "\(result.errors)")
            #expect(result.output.contains("muniment grant SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT"))
            #expect(result.output.contains("$ muniment grant user:ann read,update on doc:plan"))
        }
    }

    @Test("An unknown command and a missing folder are errors")
    func mistakes() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            #expect(try tool.run("man grnt").errors.contains("did you mean `grant`?"))
            #expect(try tool.run("man --into none").errors.contains("`none` does not exist"))
        }
    }
}
