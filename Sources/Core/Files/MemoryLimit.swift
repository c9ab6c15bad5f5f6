internal import Glibc

/// Returns the bytes of memory that this process may use: those of the machine, or the least limit of its control groups.
///
/// - Parameters:
///   - process: the folder of the process in the file system of cgroups(7)'s `/proc`.
///   - groups: the folder where the control groups are mounted, of version 1 or 2.
public func memoryLimit(process: String = "/proc/self", groups: String = "/sys/fs/cgroup") -> Int {
    var least = max(1, sysconf(Int32(_SC_PHYS_PAGES))) * max(1, sysconf(Int32(_SC_PAGESIZE)))
    guard let lines = try? readFile(process + "/cgroup") else { return least }
    for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
        // A number, the controllers, and the path of the group. Version 2 has one group, and names no controllers.
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { continue }
        let (root, file): (String, String)
        if fields[1].isEmpty {
            (root, file) = (groups, "memory.max")
        } else if fields[1].split(separator: ",").contains("memory") {
            (root, file) = (groups + "/memory", "memory.limit_in_bytes")
        } else {
            continue
        }
        // The limits of the groups above apply, too.
        var path = fields[2].split(separator: "/")
        while true {
            if let text = try? readFile(([root] + path.map(String.init) + [file]).joined(separator: "/")),
                let limit = Int(String(decoding: text, as: UTF8.self).filter(\.isNumber)), limit > 0
            {
                least = min(least, limit)
            }
            if path.popLast() == nil { break }
        }
    }
    return least
}
