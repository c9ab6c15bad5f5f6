internal import CMicroHTTPD

/// A connection that can be left alone, and woken up from any thread.
@safe struct RestingConnection: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// On the thread of the connection, while the library calls about it. Nothing happens on it until ``resume()``.
    func suspend() { unsafe MHD_suspend_connection(handle) }

    /// Once for each suspension.
    func resume() { unsafe MHD_resume_connection(handle) }
}
