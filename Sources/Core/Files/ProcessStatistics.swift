internal import Glibc

/// The resources that this process uses, from `/proc`.
public struct ProcessStatistics: Sendable {
    /// Processor time in user mode and in the kernel.
    public let processorSeconds: Double
    /// The start of the process, in seconds since 1970.
    public let startSeconds: Double
    public let virtualBytes: Int
    public let residentBytes: Int
    public let openDescriptors: Int
    public let descriptorLimit: Int

    /// - Returns: nil if `/proc` cannot be read.
    public init?() {
        guard let stat = try? readFile("/proc/self/stat"), let machine = try? readFile("/proc/stat"),
            let descriptors = try? openDescriptorCount()
        else { return nil }
        // The name of the program, in parentheses, may contain blanks.
        let text = String(decoding: stat, as: UTF8.self)
        guard let name = text.lastIndex(of: ")") else { return nil }
        // The first number is field 3 of proc(5).
        let fields = text[text.index(after: name)...].split(separator: " ").map { Double($0) ?? 0 }
        let boot = String(decoding: machine, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard fields.count > 21, let boot = boot.flatMap({ Double($0.dropFirst("btime ".count)) }) else { return nil }
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        processorSeconds = (fields[11] + fields[12]) / ticks
        startSeconds = boot + fields[19] / ticks
        virtualBytes = Int(fields[20])
        residentBytes = Int(fields[21]) * max(1, sysconf(Int32(_SC_PAGESIZE)))
        openDescriptors = descriptors
        var limit = rlimit()
        descriptorLimit =
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    }
}

/// Returns when a file was last written, in seconds since 1970; nil if the file does not exist. Needs no access to its content.
public func modificationSeconds(of path: String) -> Double? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
}
