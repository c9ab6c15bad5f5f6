internal import CMicroHTTPD
internal import Glibc

/// The library's server.
@safe struct Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The engine, kept as long as the library may call it.
    private let context: Unmanaged<Engine>

    /// Starts to serve the connections that it is given.
    init(_ settings: HTTPServerSettings, engine: Engine) throws(HTTPServerError) {
        let context = unsafe Unmanaged.passRetained(engine)
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ITC.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue
        if settings.tls != nil { flags |= MHD_USE_TLS.rawValue }
        var options = unsafe Self.options(settings, context: context.toOpaque())
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

    /// Takes over a connection.
    ///
    /// - Returns: false where it was closed at once, because there are too many from its address.
    func add(_ connection: Int32, from address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        unsafe MHD_add_connection(handle, connection, address, length) == .YES
    }

    /// Ends all connections and all threads. No connection may rest or come. Never use the daemon again.
    func stop() {
        unsafe MHD_stop_daemon(handle)
        unsafe context.release()
    }

    private static func options(
        _ settings: HTTPServerSettings, context: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        func number(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            unsafe MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        func callback(_ option: MHD_OPTION, _ function: UnsafeRawPointer) -> MHD_OptionItem {
            unsafe MHD_OptionItem(option: option, value: Int(bitPattern: function), ptr_value: context)
        }
        var options = unsafe [
            number(.CONNECTION_MEMORY_LIMIT, settings.headerLimitBytes),
            // The engine keeps the limit; the library counts connections by thread, and a while longer.
            number(.CONNECTION_LIMIT, (settings.connectionLimit + 64) * settings.threads),
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
