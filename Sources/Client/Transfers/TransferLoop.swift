internal import CCurl
internal import Foundation
internal import Synchronization

/// Transfers over HTTP, all on one thread, by libcurl's multi interface. The thread starts with the first transfer, and sleeps while
/// nothing arrives. Usable from any task.
public final class TransferLoop: Sendable {
    private let state: LoopState

    /// - Parameter requests: the maximum number of transfers at once that are not streams. Others wait for one to end.
    public init(requests: Int = 8) { state = LoopState(requests: requests) }

    deinit { state.close() }

    /// Starts a transfer. It continues if this loop is released.
    public func start(_ request: TransferRequest) -> Transfer {
        let transfer = Transfer(request, in: state)
        state.add(.start(transfer))
        return transfer
    }

    static let noResources = TransferError(isSent: false, reason: "libcurl has too little memory or too few file descriptors")

    /// How many times the thread has woken up.
    public var wakeUps: Int { state.wakeUps.load(ordering: .relaxed) }
}

enum LoopCommand: Sendable {
    case start(Transfer)
    case resume(Transfer)
    case cancel(Transfer)

    var isStart: Bool { if case .start = self { true } else { false } }
}

/// The commands for the thread of a loop.
@safe final class LoopState: @unchecked Sendable {
    private struct Content {
        var commands: [LoopCommand] = []
        var isRunning = false
        var isClosed = false
    }

    private let content = Mutex(Content())
    /// Used by the thread alone, except to wake it while it runs, with ``content`` locked. Nil if libcurl cannot start.
    private let multi: UnsafeMutableRawPointer?
    private let requests: Int
    let wakeUps = Atomic(0)

    init(requests: Int) {
        self.requests = requests
        let multi = unsafe TransferJob.isReady ? curl_multi_init() : nil
        // libcurl has no descriptors for it if the process has too many open: the thread would miss every command.
        let canWakeUp = unsafe curl_multi_wakeup(multi) == CURLM_OK
        if !canWakeUp { unsafe curl_multi_cleanup(multi) }
        unsafe self.multi = canWakeUp ? multi : nil
    }

    deinit { unsafe curl_multi_cleanup(multi) }

    func add(_ command: LoopCommand) {
        guard unsafe multi != nil else {
            if case .start(let transfer) = command { transfer.ended(TransferLoop.noResources) }
            return
        }
        let starts: Bool = content.withLock { content in
            // Without a thread, no transfer is left that could continue or be cancelled.
            guard content.isRunning || command.isStart else { return false }
            content.commands.append(command)
            if content.isRunning {
                unsafe curl_multi_wakeup(multi)
                return false
            }
            content.isRunning = true
            return true
        }
        if starts { Thread.detachNewThread { self.run() } }
    }

    /// Lets the thread end after the last transfer.
    func close() {
        content.withLock { content in
            content.isClosed = true
            if content.isRunning { unsafe curl_multi_wakeup(multi) }
        }
    }

    /// Returns the new commands; nil if the thread must end.
    private func take(isIdle: Bool) -> [LoopCommand]? {
        content.withLock { content in
            defer { content.commands = [] }
            guard content.commands.isEmpty, content.isClosed, isIdle else { return content.commands }
            content.isRunning = false
            return nil
        }
    }

    private func run() {
        // A write to a closed connection returns an error in this thread, and does not end the process.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        var active: [UInt: TransferJob] = [:]
        var waiting: [Transfer] = []
        while let commands = take(isIdle: active.isEmpty && waiting.isEmpty) {
            for command in commands {
                switch command {
                case .start(let transfer): waiting.append(transfer)
                case .resume(let transfer): active.values.first { $0.transfer === transfer }?.resume()
                case .cancel(let transfer):
                    if let index = waiting.firstIndex(where: { $0 === transfer }) {
                        waiting.remove(at: index).ended(TransferError(isSent: false, reason: "it was cancelled"))
                    } else if let job = active.values.first(where: { $0.transfer === transfer }) {
                        end(job, &active, "it was cancelled")
                    }
                }
            }
            start(&waiting, &active)
            let now = ContinuousClock.now
            for job in active.values where job.deadline.map({ $0 <= now }) == true {
                end(job, &active, "the server has sent nothing for \(job.transfer.request.silenceMilliseconds) ms")
            }
            var count: Int32 = 0
            unsafe curl_multi_perform(multi, &count)
            var hasEnded = false
            while let message = unsafe curl_multi_info_read(multi, &count) {
                guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle,
                    let job = active.removeValue(forKey: UInt(bitPattern: handle))
                else { continue }
                let code = unsafe message.pointee.data.result
                unsafe curl_multi_remove_handle(multi, handle)
                job.ended(code)
                hasEnded = true
            }
            if hasEnded { continue }
            sleep(until: active.values.compactMap(\.deadline).min())
        }
    }

    /// Starts the transfers that need not wait.
    private func start(_ waiting: inout [Transfer], _ active: inout [UInt: TransferJob]) {
        var count = active.values.count(where: { !$0.transfer.request.isStream })
        var rest: [Transfer] = []
        for transfer in waiting {
            let isStream = transfer.request.isStream
            guard isStream || count < requests else {
                rest.append(transfer)
                continue
            }
            guard let job = TransferJob(transfer), unsafe curl_multi_add_handle(multi, job.handle) == CURLM_OK else {
                transfer.ended(TransferLoop.noResources)
                continue
            }
            active[job.key] = job
            if !isStream { count += 1 }
        }
        waiting = rest
    }

    private func end(_ job: TransferJob, _ active: inout [UInt: TransferJob], _ reason: String) {
        active[job.key] = nil
        unsafe curl_multi_remove_handle(multi, job.handle)
        job.failed(reason)
    }

    /// Sleeps until a socket is ready, libcurl's timer or the deadline is over, or a command arrives.
    private func sleep(until deadline: ContinuousClock.Instant?) {
        let day: Int64 = 86_400_000
        let left = deadline.map { (ContinuousClock.now.duration(to: $0) / Duration.milliseconds(1)).rounded(.up) }
        unsafe curl_multi_poll(multi, nil, 0, Int32(min(max(Int64(left ?? Double(day)), 0), day)), nil)
        wakeUps.add(1, ordering: .relaxed)
    }
}
