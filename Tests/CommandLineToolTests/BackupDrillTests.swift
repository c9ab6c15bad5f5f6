import Foundation
import Testing

@Suite("`backup drill` proves that a backup can be restored")
struct BackupDrillTests {
    @Test("A drill verifies every store, compares the head with the origin, prints times, and leaves nothing behind")
    func sound() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("init --store data/default")
            try tool.make("init --store data/second")
            try tool.make("backup one")
            try tool.make("backup all --data data")
            try tool.make("register user:late --store data/second")
            let one = try tool.object("backup drill one --store demo --json")
            #expect(one["sound"] as? Bool == true && one["restoreSeconds"] is Double && one["verifySeconds"] is Double)
            let all = try tool.shell("mkdir t && TMPDIR=t \"$muniment\" backup drill all --data data && rmdir t")
            #expect(all.code == 0, "the folder `t` is empty again: \(all.errors)")
            #expect(all.lines.count == 5 && all.output.contains("default  the origin has the same head"), "\(all.output)")
            #expect(all.output.contains("second  the origin has 1 newer commit, the last at "))
            #expect(all.lines.last?.hasPrefix("the backup is sound: restored in ") == true)
            try tool.make("backup drill one")
            try tool.make("backup drill all/second")
            #expect(try tool.run("backup drill all --store demo").code == 2)
            #expect(try tool.run("backup drill one --data data").code == 2)
        }
    }

    @Test("A drill fails for the backup of another store, and for a changed backup")
    func unsound() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("init --store other")
            try tool.make("backup monday")
            let other = try tool.run("backup drill monday --store other")
            #expect(other.code == 1, "\(other.errors)")
            #expect(other.output.contains("the log of `other` does not contain the last commit and the last refused command"))
            #expect(try tool.shell("printf X | dd of=monday/log/data.mdb bs=1 seek=5000 conv=notrunc 2>&1").code == 0)
            let damaged = try tool.run("backup drill monday")
            #expect(damaged.code == 1 && damaged.output.contains("was changed or damaged"), "\(damaged.errors)")
            #expect(damaged.lines.last?.hasPrefix("the backup cannot be relied on") == true)
        }
    }

    @Test("A drill notices that the origin has lost a refused command")
    func lostRefusal() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.shell("cp -r demo older").code == 0)
            #expect(try tool.run("grant user:zed read on doc:plan --as user:zed").code != 0)
            let verified = try tool.make("verify").output
            #expect(verified.contains(", last refusal #"), "\(verified)")
            try tool.make("backup monday")
            try tool.make("backup drill monday --store demo")
            // The same commits, without the refused command.
            let drill = try tool.run("backup drill monday --store older")
            #expect(drill.code == 1 && drill.output.contains("the last refused command of the backup"), "\(drill.output)")
        }
    }

    @Test("A missing origin is a problem of one store, and the other stores are still verified")
    func missingOrigin() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store data/default")
            try tool.make("init --store data/second")
            try tool.make("backup all --data data")
            #expect(try tool.shell("rm -r data/default").code == 0)
            let drill = try tool.run("backup drill all --data data")
            #expect(drill.code == 1 && drill.output.contains("problem: default  `data/default` is not a store"), "\(drill.errors)")
            #expect(drill.output.contains("second  the origin has the same head"), "\(drill.output)")
        }
    }

    @Test("A damaged `levels.json` is damage of the backup, and a missing one is a difference from the origin")
    func levels() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("backup monday")
            try tool.write("[]\nno\n", to: "monday/levels.json")
            let damaged = try tool.run("backup drill monday")
            #expect(damaged.code == 1 && damaged.output.contains("`levels.json` does not match its checksum"), "\(damaged.output)")
            #expect(try tool.run("restore monday --store new").code == 3)
            #expect(try tool.shell("mv monday/levels.json demo").code == 0)
            let missing = try tool.run("backup drill monday --store demo")
            #expect(missing.code == 1 && missing.output.contains("is not the same in `demo` and in the backup"))
        }
    }

    @Test("A signal ends a drill and removes its folder, and a drill removes what an earlier one left", arguments: ["TERM", "INT"])
    func interrupted(signal: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("backup monday")
            // The drill handles signals before it starts to restore.
            let script = """
                mkdir t
                TMPDIR=t "$muniment" backup drill monday & drill=$!
                until ls t/muniment-drill-*/restored.part; do kill -0 $drill || break; done >/dev/null 2>&1
                kill -\(signal) $drill
                wait $drill
                ls t
                """
            let result = try tool.shell(script)
            #expect(!result.output.contains("muniment-drill"), "\(result.output)")
            let leftovers = try tool.shell(
                "mkdir -p t/muniment-drill-old/restored.part t/muniment-drill-new && touch -d '2 minutes ago' t/muniment-drill-old "
                    + "&& TMPDIR=t \"$muniment\" backup drill monday && ls t")
            #expect(leftovers.code == 0 && leftovers.lines.last == "muniment-drill-new", "\(leftovers.output) \(leftovers.errors)")
            #expect(!leftovers.lines.contains("muniment-drill-old"))
        }
    }
}
