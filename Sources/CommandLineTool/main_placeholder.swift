import Histories
import Muniment
import Foundation
let a = CommandLine.arguments
@main struct M { static func main() throws {
switch a[1] {
case "import": print(try HistoryImporter(into: a[3]).run(file: a[2]))
case "ask":
    let s = try Store.open(at: a[3], .reading)
    try Asker(s).answer(file: a[2]) { line in print(line) }
    try s.close()
case "scenario":
    var t = try ScenarioRunner().run(file: a[2])
    for f in a.dropFirst(3) { t = t + (try ScenarioRunner().run(file: f)) }
    for f in t.failures { print(f) }
    print(t)
case "verify": let r = try Store.verify(at: a[2]); print(r)
case "rebuild": try Store.rebuild(at: a[2])
default: break
} } }
