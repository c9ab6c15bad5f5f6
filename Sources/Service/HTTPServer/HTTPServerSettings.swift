/// The address and the limits of a server.
public struct HTTPServerSettings: Sendable {
    /// An IPv4 or IPv6 address.
    public var address: String
    /// 0 for any free port.
    public var port: UInt16
    /// Threads that serve connections.
    public var threads: Int
    /// The largest head of a request in bytes. This memory, and 8 KiB more, is reserved for each connection, including open streams.
    public var headerLimitBytes: Int
    /// The largest number of connections. At the limit, a new connection replaces one that is idle, has not sent its request
    /// completely, or has not read its response for two seconds.
    public var connectionLimit: Int
    /// The largest number of connections from one address, or from the first 64 bits of an IPv6 address; 0 for no limit. At the
    /// limit, a new connection replaces one of the address that is idle, has not sent its request completely, or has not read its
    /// response for two seconds.
    public var connectionsPerAddress: Int
    /// Addresses of proxies, which have the connections of many clients: ``connectionsPerAddress`` does not limit them.
    public var proxies: [IPAddressRange]
    /// The memory in bytes for all bodies of requests and responses together. A request with a body above the rest gets the status
    /// 503.
    public var memoryLimitBytes: Int
    /// Seconds after which an idle connection is closed. The client of an endless stream is disconnected if bytes wait for it and it reads
    /// none of them: after at least the sum of this time and ``requestSeconds``, and at most twice the sum.
    public var idleSeconds: Int
    /// The time limit in seconds for receiving a request after it has begun; a long body has more, in proportion to its length.
    public var requestSeconds: Int
    /// The certificate chain and its key, in PEM; nil for plain HTTP.
    public var tls: TLSFiles?

    public struct TLSFiles: Sendable {
        public var certificatePEM: String
        public var keyPEM: String

        public init(certificatePEM: String, keyPEM: String) {
            self.certificatePEM = certificatePEM
            self.keyPEM = keyPEM
        }

        /// Whether the key is encrypted with a password (RFC 5958, or OpenSSL's form before it).
        var isKeyEncrypted: Bool {
            keyPEM.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || keyPEM.contains("Proc-Type: 4,ENCRYPTED")
        }
    }

    public init(
        address: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 2, headerLimitBytes: Int = 8_192,
        connectionLimit: Int = 8_192, connectionsPerAddress: Int = 0, proxies: [IPAddressRange] = [],
        memoryLimitBytes: Int = 1 << 26,
        idleSeconds: Int = 60, requestSeconds: Int = 30, tls: TLSFiles? = nil
    ) {
        self.address = address
        self.port = port
        self.threads = threads
        self.headerLimitBytes = headerLimitBytes
        self.connectionLimit = connectionLimit
        self.connectionsPerAddress = connectionsPerAddress
        self.proxies = proxies
        self.memoryLimitBytes = memoryLimitBytes
        self.idleSeconds = idleSeconds
        self.requestSeconds = requestSeconds
        self.tls = tls
    }
}
