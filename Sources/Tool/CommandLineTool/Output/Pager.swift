import CPager
import Foundation
import Glibc

/// The program that shows long output page by page: that of the variable `PAGER`, or `less`.
struct Pager {
    /// Where the output is written.
    let handle: FileHandle

    /// Starts the program. Returns nil if standard output is not a terminal, and if no program is wanted or found.
    init?() {
        guard Coloring.isTerminal, Pager.isWanted else { return nil }
        let descriptor = muniment_pager_start()
        guard descriptor >= 0 else { return nil }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // An interrupt is for the pager, which may outlive the output.
        signal(SIGINT, SIG_IGN)
    }

    /// Ends the output and waits until the reader closes the program.
    func finish() {
        try? handle.close()
        muniment_pager_wait()
    }

    private static var isWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        if let command = environment["PAGER"] { return !command.isEmpty && command != "cat" }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/less") }
    }
}
