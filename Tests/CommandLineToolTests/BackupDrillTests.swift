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
            #expect(other.output.contains("problem: other  the log of `other` does not contain the last commit of the backup"))
            #expect(try tool.shell("printf X | dd of=monday/log/data.mdb bs=1 seek=5000 conv=notrunc 2>&1").code == 0)
            let damaged = try tool.run("backup drill monday")
            #expect(damaged.code == 3 && damaged.errors.contains("was changed or damaged"), "\(damaged.errors)")
        }
    }
}
