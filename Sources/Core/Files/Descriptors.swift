internal import Glibc

/// Raises the limit on open descriptors of this process to the maximum that the system allows.
///
/// - Returns: the new limit.
public func raiseDescriptorLimit() -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    if unsafe setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    return Int(clamping: limit.rlim_cur)
}

/// Returns the number of open descriptors of this process. Linear in that number.
///
/// - Throws: a `FileError` if `/proc` cannot be read.
public func openDescriptorCount() throws(FileError) -> Int {
    // The folder itself is open while it is read.
    try fileNames(in: "/proc/self/fd").count - 1
}
