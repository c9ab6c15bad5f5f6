import Files
import Glibc
import Muniment
import Permissions

/// The commands of the helper.
struct HelperCommand {
    private let name: String
    private let arguments: [String]

    init(_ arguments: [String]) {
        name = arguments.first ?? ""
        self.arguments = Array(arguments.dropFirst())
    }

    func run() throws {
        switch name {
        case "hold-lock": try holdLock()
        case "raise": raise(HelperCommand.signals[arguments[0]] ?? 0)
        case "fill-log": try FillLog(path: arguments[0], limit: Int(arguments[1]) ?? 0).run()
        case "fill-records": try RecordHelperCommands(path: arguments[0]).fill(within: Int(arguments[1]) ?? 0)
        case "append-record": try RecordHelperCommands(path: arguments[0]).append()
        case "make": try FaultStore.make(at: arguments[0])
        case "sweep": try sweep.run()
        case "sweep-reader": try sweep.runUnderReader()
        case "sweep-verify": try sweep.verifyOnly()
        case "write-without-descriptors": try store.writeWithoutDescriptors()
        case "write-with-failed-sync": try store.writeWithFailedSync()
        case "open-without-descriptors": try store.openWithoutDescriptors()
        case "fill": try store.fill(limit: Int(arguments[1]), commentBytes: Int(arguments[2]) ?? 0)
        case "fill-refusals": try store.fillWithRefusals(limit: Int(arguments[1]) ?? 0)
        case "commit-forever": try store.commitForever()
        case "commit-openly": try store.commitOpenly()
        case "reopen-forever": try store.reopenForever()
        case "import": try store.importHistory(arguments[1], resume: arguments.contains("--resume"))
        case "hold": try store.hold()
        case "revoke": try store.revoke()
        case "rebuild": try Store.rebuild(at: arguments[0], options: FaultStore.options)
        case "ask": try store.ask()
        case "count": try observing.count(on: Name(arguments[1]), to: Int64(arguments[2]) ?? 0)
        case "observe-until-full": try observing.observeUntilFull(limit: Int(arguments[1]) ?? 0)
        case "grant-for": try observing.grant(for: Int64(arguments[1]) ?? 0)
        case "back-up-within": try BackupHelperCommands.backUp(arguments[0], to: arguments[1], limit: Int(arguments[2]) ?? 0)
        case "restore-within": try BackupHelperCommands.restore(arguments[0], to: arguments[1], limit: Int(arguments[2]) ?? 0)
        case "back-up-forever": try BackupHelperCommands.backUpForever(arguments[0], in: arguments[1])
        case "accounts-hold": try accounts.hold()
        case "accounts-forever": try accounts.changeForever()
        case "accounts-within": try accounts.change(within: Int(arguments[1]) ?? 0)
        case "accounts-openly": try accounts.changeOpenly()
        case "accounts-delete-without-room": try accounts.deleteWithoutRoom()
        case "accounts-delete-with-read-only-keys": try accounts.deleteWithReadOnlyKeys()
        case "replica-forever": try ReplicaHelperCommands(path: arguments[0]).changeForever()
        case "replica-fill": try ReplicaHelperCommands(path: arguments[0]).fill(objects: Int(arguments[1]) ?? 0)
        case "replica-client":
            try ReplicaClientCommand(address: arguments[0], token: arguments[1], user: arguments[2], file: arguments[3]).run()
        case "use-as-nobody": try store.useAsNobody()
        default: FaultHelper.say("unknown errand `\(name)`")
        }
    }

    private var store: StoreHelperCommands { StoreHelperCommands(path: arguments[0]) }
    private var accounts: AccountHelperCommands { AccountHelperCommands(folder: arguments[0]) }
    private var observing: ObservationHelperCommands { ObservationHelperCommands(path: arguments[0]) }

    /// Arguments: STORE, `log` or `index`, `sealed` or `open`, and the first offset, the end offset (exclusive) and the step.
    private var sweep: Sweep {
        let numbers = arguments[3...].map { Int($0) ?? 0 }
        return Sweep(
            path: arguments[0], part: arguments[1], isSealed: arguments[2] == "sealed",
            offsets: stride(from: numbers[0], to: numbers[1], by: numbers[2]))
    }

    private func holdLock() throws {
        let lock = try FileLock(path: arguments[0], holder: processDescription())
        FaultHelper.say("held")
        pause()
        lock.release()
    }

    private static let signals: [String: Int32] = [
        "SIGSEGV": SIGSEGV, "SIGBUS": SIGBUS, "SIGABRT": SIGABRT, "SIGILL": SIGILL, "SIGTRAP": SIGTRAP, "SIGFPE": SIGFPE,
    ]
}
