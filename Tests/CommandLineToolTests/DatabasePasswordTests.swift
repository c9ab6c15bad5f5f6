import Foundation
import TestSupport
import Testing

/// The password of the database goes to the database only, and into no output.
@Suite("The password of the database")
struct DatabasePasswordTests {
    /// Is in no word of the program.
    private static let password = "Wq7rLzKp93Xd"

    /// A server that is not the database, at a port of this machine. It writes the received bytes to the file `received`.
    private static let impostor = """
        import socket, ssl, struct, sys, threading
        encryption, request = sys.argv[1:]
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        received = open("received", "ab", buffering=0)

        def read(connection):
            data = connection.recv(65536)
            received.write(data)
            return data

        def serve(connection):
            data = read(connection)
            if data[4:8] == struct.pack("!I", 80877103):
                connection.sendall(b"S" if encryption == "tls" else b"N")
                if encryption == "tls":
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain("crt.pem", "key.pem")
                    connection = context.wrap_socket(connection, server_side=True)
                read(connection)
            code, rest = {"cleartext": (3, b""), "md5": (5, b"salt"), "none": (0, b""), "scram": (10, b"SCRAM-SHA-256\\0\\0")}[request]
            connection.sendall(b"R" + struct.pack("!II", 8 + len(rest), code) + rest)
            if code == 0:
                connection.sendall(b"Z" + struct.pack("!I", 5) + b"I")
            while read(connection):
                pass

        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    /// Makes a certificate for `localhost` in a folder.
    private func makeCertificate(_ tool: BuiltTool) throws {
        let made = try tool.shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out crt.pem -days 30 -subj /CN=localhost "
                + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1")
        try #require(made.code == 0, "\(made.errors)")
    }

    @Test(
        "A server that only listens at the database's address gets neither the password nor a statement",
        arguments: ["plain", "tls"], ["cleartext", "md5", "none", "scram"])
    func impostor(_ encryption: String, _ request: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try makeCertificate(tool)
            try tool.write(Self.impostor, to: "impostor.py")
            try tool.write("*:*:*:*:\(Self.password)\n", to: "passwords", mode: 0o600)
            #expect(try tool.shell("mkdir data && touch received").code == 0)
            let server = try ChildProcess(
                ["/usr/bin/env", "python3", "impostor.py", encryption, request], in: tool.folder.path,
                environment: ChildProcess.environment, output: .pipe, endingWithinSeconds: 600)
            defer { server.kill() }
            let port = try #require(server.line())
            func call(_ options: String, _ environment: String, _ more: String = "") throws -> (output: String, received: String) {
                try tool.write("", to: "received")
                let command =
                    "\(environment) \(BuiltTool.executable.path) token create --data data --store '*' --can ask --log-without-standby "
                    + "--log 'postgresql://muniment@localhost:\(port)/muniment?\(options)' \(more)"
                let result = try tool.shell(command)
                #expect(result.code == 3, "\(command): \(result)")
                let received = try Data(contentsOf: tool.folder.appending(path: "received"))
                // Encrypted bytes would not show the password: the impostor writes them after it has decrypted them.
                return (result.output + result.errors, String(decoding: received, as: UTF8.self))
            }
            let (inVariable, inFile) = ("PGPASSWORD=\(Self.password)", "PGPASSFILE=passwords")
            for (options, environment) in [
                ("", inVariable), ("", inFile), ("passfile=passwords", ""), ("sslmode=disable", inVariable),
                ("channel_binding=disable", inVariable), ("hostaddr=127.0.0.1", inVariable),
                ("sslmode=verify-full", inVariable), ("sslmode=verify-full", inVariable + " PGSSLROOTCERT=/dev/null"),
                ("", inVariable + " PGSSLMODE=disable PGCHANNELBINDING=disable"),
            ] {
                let (output, received) = try call(options, environment)
                let isKept = ![Self.password, "md5", "n=", "SELECT"].contains(where: received.contains)
                #expect(isKept, "\(options), \(environment): \(received)")
                #expect(!output.contains(Self.password) && output.contains("The server must prove"), "\(options): \(output)")
            }
            // With the option for trials, the impostor gets the password. So the checks above can fail.
            let (_, received) = try call("", inVariable, "--log-insecure")
            let expected = ["cleartext": Self.password, "md5": "md5", "none": "SELECT", "scram": "n="]
            let isImpostor = received.contains(try #require(expected[request]))
            #expect(isImpostor, "\(received)")
        }
    }

    @Test(
        "The database gets the password over TLS only, by SCRAM that is bound to the connection or after its certificate was verified"
    )
    func server() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            try server.run("ALTER ROLE muniment PASSWORD '\(Self.password)'")
            try server.run(try tool.make("log schema").output)
            #expect(try tool.shell("mkdir data").code == 0)
            func call(_ options: String, host: String = "localhost", _ more: String = "") throws -> BuiltTool.Result {
                try tool.shell(
                    "PGPASSWORD=\(Self.password) \(BuiltTool.executable.path) token create --data data --store '*' --can ask "
                        + "--log-without-standby --log 'postgresql://muniment@\(host):\(server.port)/muniment?\(options)' \(more)")
            }
            let verified = "sslmode=verify-full&sslrootcert=\(server.folder)/crt.pem"
            try server.listen(withTLS: false)
            for options in ["", "sslmode=require", verified] {
                let result = try call(options)
                #expect(result.code == 3 && result.errors.contains("The server must prove"), "\(options): \(result)")
            }
            #expect(try call("", "--log-insecure").code == 0)
            try server.listen(withTLS: true)
            for options in ["", "sslmode=require", verified] {
                let result = try call(options)
                #expect(result.code == 0, "\(options): \(result)")
            }
            // The certificate has no such name.
            #expect(try call("", host: "127.0.0.1").code == 0)
            let other = try call(verified, host: "127.0.0.1")
            #expect(other.code == 3 && other.errors.contains("The server must prove"), "\(other)")
            // A password in MD5 cannot be bound to the connection, but may be sent to a server that is verified.
            try server.run("SET password_encryption = md5; ALTER ROLE muniment PASSWORD '\(Self.password)'")
            let hba = try server.run("SHOW hba_file").trimmingCharacters(in: .newlines)
            try server.run(
                "COPY (SELECT 'local all all trust' UNION ALL SELECT 'host all all all md5') TO '\(hba)'; SELECT pg_reload_conf()")
            var result = try call("")
            for _ in 0..<600 where !result.errors.contains("channel binding") {
                usleep(50_000)
                result = try call("")
            }
            #expect(result.code == 3 && result.errors.contains("The server must prove"), "\(result)")
            #expect(try call(verified).code == 0)
        }
    }

    @Test("No output contains the password, whatever is wrong with the address, the server or the files")
    func outputs() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            try server.run("ALTER ROLE muniment PASSWORD 'another'")
            try server.listen(withTLS: true)
            #expect(try tool.shell("mkdir data").code == 0)
            let (word, place) = (Self.password, "localhost:\(server.port)")
            let addresses = [
                "postgresql://muniment:\(word)@\(place)/muniment", "postgres://muniment:\(word)@\(place)/muniment",
                "postgresql://muniment@\(place)/muniment?password=\(word)",
                "postgresql://muniment@\(place)/muniment?p%61ssword=\(word)",
                "postgresql://muniment@\(place)/muniment?sslpassword=\(word)",
                "postgresql://muniment@\(place)/muniment?user=a&password=\(word)",
                // Characters that end the part of the address.
                "postgresql://muniment:\(word)/x@\(place)/muniment", "postgresql://muniment:x/\(word)@\(place)/muniment",
                "postgresql://muniment:1/\(word)@\(place)/muniment", "postgresql://muniment:x@\(word)@\(place)/muniment",
                "postgresql://muniment:\(word)%zz@\(place)/muniment", "postgresql://muniment:\(word)%00@\(place)/muniment",
                "postgresql://muniment:x?\(word)@\(place)/muniment", "postgresql://muniment:x/y?\(word)@\(place)/muniment",
                "postgresql://muniment:[\(word)@\(place)/muniment", "postgresql://[muniment:\(word)@\(place)/muniment",
                "postgresql://muniment:\(word)@\(place)/muniment?nothing=1",
                "postgresql://muniment:\(word)@\(place)/muniment?sslmode=no",
            ]
            for address in addresses {
                try tool.write(#"{"listen":"127.0.0.1:0","log":"\#(address)"}"#, to: "c.json", mode: 0o600)
                try tool.write(#"{"listen":"127.0.0.1:0","log":"\#(address)"#, to: "broken.json", mode: 0o600)
                let elsewhere = [
                    "$muniment serve --data data --config c.json", "$muniment serve --check --data data --config c.json",
                    "$muniment serve --data data --config broken.json",
                    "MUNIMENT_LOG='\(address)' $muniment serve --data data --listen 127.0.0.1:0",
                    "MUNIMENT_LOG='\(address)' $muniment token create --data data --store '*' --can ask",
                ]
                let arguments = [
                    "serve --data data --log '\(address)'", "token revoke t1 --data data '--log=\(address)'",
                    "log move --to '\(address)'", "log move '\(address)'", "'\(address)'", "token create '--lgo=\(address)'",
                    "serve --log --to '\(address)'",
                ].map { "$muniment \($0)" }
                for command in elsewhere + arguments {
                    let result = try tool.shell(command)
                    #expect(result.code != 0, "\(command)")
                    #expect(!(result.output + result.errors).contains(word), "\(command): \(result)")
                    // As an argument, the address is refused before anything else.
                    if arguments.contains(command) {
                        #expect(result.code == 2 && result.errors.contains("PGPASSFILE"), "\(command): \(result)")
                    }
                }
            }
            // A wrong password from elsewhere.
            try tool.write("*:*:*:*:\(word)\n", to: "passwords", mode: 0o600)
            try tool.write("[database]\npassword=\(word)\nhost=localhost\nport=\(server.port)\n", to: "services", mode: 0o600)
            let log = "--log-without-standby --log 'postgresql://muniment@\(place)/muniment'"
            for (environment, log) in [
                ("PGPASSWORD=\(word)", log), ("PGPASSFILE=passwords", log),
                ("PGSERVICEFILE=services", log.replacing("/muniment'", with: "/muniment?service=database'")),
            ] {
                for command in ["serve --data data --listen 127.0.0.1:0", "token create --data data --store '*' --can ask"] {
                    let result = try tool.shell("\(environment) $muniment \(command) \(log)")
                    #expect(result.code == 3 && result.errors.contains("authentication failed"), "\(environment): \(result)")
                    #expect(!(result.output + result.errors).contains(word), "\(environment): \(result)")
                }
            }
        }
    }
}
