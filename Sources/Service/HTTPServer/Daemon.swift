internal import CMicroHTTPD
internal import Glibc

/// The library's server.
@safe struct Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The engine. It is retained as long as the library may call it.
    private let context: Unmanaged<Engine>
    /// The key, the certificate and the priorities. The library keeps pointers to them, for an undocumented time.
    private let texts: CTexts

    /// TLS 1.2 and 1.3 with forward secrecy (ECDHE) and authenticated encryption only, in the order of GnuTLS.
    private static let priorities =
        "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:+AES-256-GCM"
        + ":+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD:%SERVER_PRECEDENCE"

    /// Starts the server. It serves the connections that are passed to ``add(_:from:_:)``.
    init(_ settings: HTTPServerSettings, engine: Engine) throws(HTTPServerError) {
        let context = unsafe Unmanaged.passRetained(engine)
        // With epoll, the library treats a connection as readable while its TLS handshake waits for the client. It then polls the
        // connection in a busy loop until the client sends more.
        let waiting = settings.tls == nil ? MHD_USE_EPOLL_INTERNAL_THREAD : MHD_USE_POLL_INTERNAL_THREAD
        var flags =
            waiting.rawValue | MHD_USE_ITC.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
        if settings.tls != nil { flags |= MHD_USE_TLS.rawValue }
        var options = unsafe Self.options(settings, context: context.toOpaque())
        if settings.tls?.isKeyEncrypted == true {
            unsafe context.release()
            throw .encryptedKey
        }
        let texts = CTexts()
        if let tls = settings.tls {
            unsafe options.append(MHD_OptionItem(option: .HTTPS_MEM_KEY, value: 0, ptr_value: texts.keep(tls.keyPEM)))
            unsafe options.append(MHD_OptionItem(option: .HTTPS_MEM_CERT, value: 0, ptr_value: texts.keep(tls.certificatePEM)))
            unsafe options.append(MHD_OptionItem(option: .HTTPS_PRIORITIES, value: 0, ptr_value: texts.keep(Self.priorities)))
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
        self.texts = texts
        unsafe handle = started
        unsafe self.context = context
    }

    /// Takes over a connection.
    ///
    /// - Returns: false if the connection was closed at once, because the library has no memory for it.
    func add(_ connection: Int32, from address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        unsafe MHD_add_connection(handle, connection, address, length) == .YES
    }

    /// Ends all connections and all threads. No connection may be suspended or added at this time. The daemon cannot be used afterwards.
    func stop() {
        unsafe MHD_stop_daemon(handle)
        unsafe context.release()
    }

    /// Whether the threads of the library have no connection.
    var isEmpty: Bool { unsafe muniment_connection_count(handle) == 0 }

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
            // The library answers a head that does not fit into its memory itself, without the request's id. So it has more memory than
            // the limit. The rest of it is untouched for shorter heads.
            number(.CONNECTION_MEMORY_LIMIT, settings.headerLimitBytes + 8_192),
            // ``ConnectionTable`` applies the limits. The library counts connections for each thread, and counts a closed one a while
            // longer.
            number(.CONNECTION_LIMIT, (settings.connectionLimit + 64) * settings.threads),
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
