internal import CPostgreSQL

/// The address of a database: a URL, or a list of keywords for libpq.
///
/// No error contains a part of the address, which may be a password at a wrong place.
public struct PostgreSQLAddress: Sendable {
    let text: String
    /// The values of the address by keyword.
    private let values: [String: String]
    /// The values of the address that are secret.
    let secrets: [String]

    /// - Throws: ``PostgreSQLAddressError``.
    public init(_ text: String) throws(PostgreSQLAddressError) {
        // libpq's message repeats parts of the address.
        guard let options = unsafe PQconninfoParse(text, nil) else { throw PostgreSQLAddressError() }
        let found = unsafe Self.options(options)
        self.text = text
        values = found.values
        secrets = found.secrets
        // `postgresql://user:a/b@host` has the host `user` and the port `a`.
        let places = ["host", "hostaddr", "dbname"].compactMap { values[$0] }
        guard places.allSatisfy({ !$0.contains("@") || $0.hasPrefix("@") }),
            values["port"]?.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ",") })
                ?? true
        else { throw PostgreSQLAddressError() }
    }

    /// Whether the address contains a password.
    public var hasPassword: Bool { !secrets.isEmpty }

    /// Keywords that replace those of the address. They keep the password from a server that only listens at the address of the database.
    ///
    /// Either the certificate of the server is verified, or the password is only used for SCRAM that is bound to the encrypted connection:
    /// libpq then sends it neither in plain text nor as MD5, and a false server cannot pass the SCRAM answer on to the real one. Nothing is
    /// needed for a socket of this machine.
    var protection: [(keyword: String, value: String)] {
        let defaults = unsafe PQconndefaults().map { unsafe Self.options($0).values } ?? [:]
        func value(_ keyword: String) -> String? { values[keyword] ?? defaults[keyword] }
        let hosts = (value("host") ?? "").split(separator: ",", omittingEmptySubsequences: false)
        // A file of services can name another host.
        if values["service"] == nil, value("hostaddr") == nil,
            hosts.allSatisfy({ $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@") })
        {
            return []
        }
        let isVerified = value("sslmode") == "verify-full"
        return [isVerified ? ("sslmode", "verify-full") : ("channel_binding", "require"), ("gssencmode", "disable")]
    }

    /// Reads and frees a list of libpq. Empty values count as missing, as they do for libpq.
    private static func options(_ list: UnsafeMutablePointer<PQconninfoOption>) -> (values: [String: String], secrets: [String]) {
        defer { unsafe PQconninfoFree(list) }
        var values: [String: String] = [:]
        var secrets: [String] = []
        var next = unsafe list
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val.map({ unsafe String(cString: $0) }), !value.isEmpty {
                unsafe values[String(cString: keyword)] = value
                // libpq marks values that must not be shown.
                if unsafe next.pointee.dispchar.map({ unsafe $0.pointee == CChar(UInt8(ascii: "*")) }) == true {
                    secrets.append(value)
                }
            }
            unsafe next += 1
        }
        return (values, secrets)
    }
}

/// An address that libpq cannot read, or reads in another way than it is meant.
public struct PostgreSQLAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String {
        "the address of the database cannot be read; write postgresql://USER@HOST/DATABASE, with `%40` for `@`, `%2F` for `/` and "
            + "`%25` for `%` in each part"
    }
}
