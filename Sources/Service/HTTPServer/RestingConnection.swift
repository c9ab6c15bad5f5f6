internal import CMicroHTTPD

/// A connection that can be suspended, and resumed from any thread.
@safe struct RestingConnection: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// Suspends the connection until ``resume()``. Must be called on its thread, during a callback of the library for it.
    func suspend() { unsafe MHD_suspend_connection(handle) }

    /// Resumes the connection. Must be called once for each suspension.
    func resume() { unsafe MHD_resume_connection(handle) }
}
