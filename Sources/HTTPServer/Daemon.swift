internal import CMicroHTTPD
internal import Glibc

/// The library's server.
@safe struct Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The engine, kept as long as the library may call it.
    private let context: Unmanaged<Engine>

    /// Starts serving on a socket, which stays the caller's.
    init(_ settings: HTTPServerSettings, socket: ListeningSocket, engine: Engine) throws(HTTPServerError) {
        let socket = try socket.duplicate()
        let context = unsafe Unmanaged.passRetained(engine)
        var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ITC.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        if settings.tls != nil { flags |= MHD_USE_TLS.rawValue }
        var options = unsafe Self.options(settings, socket: socket, context: context.toOpaque())
        let key = unsafe settings.tls.flatMap { unsafe strdup($0.keyPEM) }
        let certificate = unsafe settings.tls.flatMap { unsafe strdup($0.certificatePEM) }
        defer {
            unsafe free(key)
            unsafe free(certificate)
        }
        if settings.tls != nil {
            unsafe options.append(MHD_OptionItem(option: .HTTPS_MEM_KEY, value: 0, ptr_value: key))
            unsafe options.append(MHD_OptionItem(option: .HTTPS_MEM_CERT, value: 0, ptr_value: certificate))
        }
        unsafe options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
        let started = unsafe options.withUnsafeMutableBufferPointer { options in
            let arguments: [any CVarArg] = unsafe [
                Int32(MHD_OPTION.ARRAY.rawValue), OpaquePointer(options.baseAddress!), Int32(MHD_OPTION.END.rawValue),
            ]
            return unsafe withVaList(arguments) { list in
                unsafe MHD_start_daemon_va(flags, 0, nil, nil, Callbacks.request, context.toOpaque(), list)
            }
        }
        guard let started = unsafe started else {
            unsafe context.release()
            throw .cannotStart(isTLS: settings.tls != nil)
        }
        unsafe handle = started
        unsafe self.context = context
    }

    /// Leaves the socket alone from now on.
    ///
    /// - Returns: the library's number for the socket, for ``stop(closing:)``.
    func stopAccepting() -> Int32 { unsafe MHD_quiesce_daemon(handle) }

    /// Ends all connections and all threads. No connection may rest. Never use the daemon again.
    ///
    /// - Parameter socket: what ``stopAccepting()`` gave back: the library's threads look at it until they end.
    func stop(closing socket: Int32) {
        unsafe MHD_stop_daemon(handle)
        if socket >= 0 { _ = close(socket) }
        unsafe context.release()
    }

    private static func options(
        _ settings: HTTPServerSettings, socket: Int32, context: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        func number(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            unsafe MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        func callback(_ option: MHD_OPTION, _ function: UnsafeRawPointer) -> MHD_OptionItem {
            unsafe MHD_OptionItem(option: option, value: Int(bitPattern: function), ptr_value: context)
        }
        var options = unsafe [
            number(.LISTEN_SOCKET, Int(socket)),
            number(.CONNECTION_MEMORY_LIMIT, settings.headerLimitBytes),
            number(.CONNECTION_LIMIT, max(settings.connectionLimit, settings.threads)),
            number(.CONNECTION_TIMEOUT, settings.idleSeconds),
            number(.PER_IP_CONNECTION_LIMIT, settings.connectionsPerAddress),
            number(.STRICT_FOR_CLIENT, 0),
            callback(.NOTIFY_CONNECTION, unsafeBitCast(Callbacks.connection, to: UnsafeRawPointer.self)),
            callback(.URI_LOG_CALLBACK, unsafeBitCast(Callbacks.target, to: UnsafeRawPointer.self)),
            callback(.UNESCAPE_CALLBACK, unsafeBitCast(Callbacks.unescape, to: UnsafeRawPointer.self)),
            callback(.NOTIFY_COMPLETED, unsafeBitCast(Callbacks.completed, to: UnsafeRawPointer.self)),
        ]
        if settings.threads > 1 { unsafe options.append(number(.THREAD_POOL_SIZE, settings.threads)) }
        return unsafe options
    }
}
