import Events
import Files
import Foundation
import Muniment
import Permissions

/// Finds the words that can continue a call: commands, options, values, names of the store, and files.
struct Completer {
    private let call: CallPrefix
    private let partial: String

    /// The largest number of names. In a larger store, classes are completed before names.
    private static let nameLimit = 200

    /// - Parameter arguments: all arguments; the last one is being typed, and may be empty.
    init(_ arguments: [String]) {
        call = CallPrefix(arguments)
        partial = call.partial
    }

    /// The candidates for the last word, each as a complete word. Names that cannot be typed on one line are omitted.
    var candidates: [String] {
        found.filter { $0.hasPrefix(partial) && !$0.unicodeScalars.contains(where: \.isInvisible) }.map { call.before + $0 }
    }

    private var found: [String] {
        if let option = call.option { return values(of: own(option).value ?? "yes|no") }
        let typed = ["help", "man"].contains(call.words.first) ? Array(call.words.dropFirst()) : call.words
        let command = try? CommandTable.command(in: typed)
        if partial.hasPrefix("-") {
            let options = (command?.0.options ?? []) + [.help]
            return options.filter { call.values[$0.name] == nil }.map { "--" + $0.name }
        }
        let names =
            CommandTable.commands.map { $0.name.split(separator: " ").map(String.init) } + (call.words.isEmpty ? [["help"]] : [])
        let next = names.filter { $0.count > typed.count && $0.starts(with: typed) }.map { $0[typed.count] }
        let words = command.map { arguments(of: $0.0, after: Array($0.1)) } ?? []
        return Array(Set(next)).sorted() + words
    }

    /// The option as the command declares it. Some names have other values in other commands.
    private func own(_ option: Option) -> Option {
        (try? CommandTable.command(in: call.words))?.0.options.first { $0.name == option.name } ?? option
    }

    // MARK: Arguments

    /// Returns the candidates for the next word of a sentence such as `SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT`.
    private func arguments(of command: Command, after words: [String]) -> [String] {
        let places = Sentence(command.sentence).places
        var (index, isFilled) = (0, false)
        for word in words where index < places.count {
            // A filler word is optional.
            isFilled = !isFilled && word == places[index].filler
            if !isFilled { index += 1 }
        }
        guard index < places.count else { return places.last.map { $0.isRepeated ? values(of: $0.kind) : [] } ?? [] }
        let place = places[index]
        var found = place.alternatives.flatMap(values)
        if !isFilled, let filler = place.filler { found.append(filler) }
        if place.isOptional, index + 1 < places.count { found += places[index + 1].alternatives.flatMap(values) }
        return found
    }

    /// Returns the candidates for a placeholder of help, such as `SUBJECT` or `text|table`.
    private func values(of placeholder: String) -> [String] {
        switch placeholder {
        case "SUBJECT", "PRINCIPAL", "MEMBER": return names(["user:", "thing:", "role:"], others: ["everyone", "anonymous"])
        case "NAME", "OBJECT": return names([""], others: ["store", "everyone", "anonymous"])
        case "ROLE": return names(["role:"])
        case "PERMISSION": return names(["permission:"])
        case "CLASS": return names(["class:"])
        case "FILE", "DIR", "FOLDER", "BACKUP": return files
        case "KIND[,KIND…]": return continued(AuditFilter.allKinds)
        case "REVISION|TIME", "TIME": return []
        case "COMMAND": return []
        default:
            if placeholder.hasPrefix("PRIVILEGE") || placeholder.hasSuffix("|PRIVILEGE,…") { return continued(privileges) }
            let words = placeholder.split(separator: "|").map(String.init)
            return words.filter { $0 == $0.lowercased() }
        }
    }

    /// Returns the candidates for the last item of a list with commas.
    private func continued(_ items: [String]) -> [String] {
        let done = partial.lastIndex(of: ",").map { String(partial[...$0]) } ?? ""
        let used = done.split(separator: ",").map(String.init)
        return items.filter { !used.contains($0) }.map { done + $0 }
    }

    // MARK: The store

    /// Returns the names in the store that begin with the typed text and with one of some prefixes. A single prefix may be omitted, as
    /// in calls.
    private func names(_ prefixes: [String], others: [String] = []) -> [String] {
        let found = reading { snapshot in
            try prefixes.flatMap { prefix -> [String] in
                let isShort = prefixes.count == 1 && !prefix.hasPrefix(partial) && !partial.hasPrefix(prefix)
                let text = isShort ? prefix + partial : partial.hasPrefix(prefix) ? partial : prefix
                guard isShort || text.hasPrefix(partial) else { return [] }
                let names = try snapshot.names(NameFilter(prefix: text), limit: Self.nameLimit + 1)
                let isComplete = names.count <= Self.nameLimit || text.contains(":")
                guard isComplete else {
                    return try snapshot.names(NameFilter(className: "class"), limit: .max).map {
                        $0.dropFirst("class:".count) + ":"
                    }
                }
                return isShort ? names.map { String($0.dropFirst(prefix.count)) } : names
            }
        }
        return (found ?? []) + others
    }

    private var privileges: [String] { reading { $0.names(.all) } ?? [] }

    /// Queries the store of the call. Returns nil if the call names no store, or if the store cannot be read.
    private func reading<R>(_ body: (Snapshot) throws -> R) -> R? {
        guard let path = call.values["store"] ?? ProcessInfo.processInfo.environment["MUNIMENT_STORE"], Store.exists(at: path),
            let store = try? Store.open(at: path, .reading, options: StoreOptions())
        else { return nil }
        defer { try? store.close() }
        return try? store.read(body)
    }

    // MARK: Files

    private var files: [String] {
        let folder = partial.lastIndex(of: "/").map { String(partial[...$0]) } ?? ""
        let path = folder.isEmpty ? "." : (folder as NSString).expandingTildeInPath
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") || partial.hasSuffix(".") }.map { name in
            folder + name + (isFolder(path + "/" + name) ? "/" : "")
        }
    }
}

/// The words after the name of a command, as help shows them.
private struct Sentence {
    struct Place {
        /// The word that may precede the argument.
        var filler: String?
        var alternatives: [String]
        var isOptional = false
        var isRepeated = false

        var kind: String { alternatives.first ?? "" }
    }

    private(set) var places: [Place] = []

    init(_ text: String) {
        var filler: String?
        var tokens = text.split(separator: " ").map(String.init)[...]
        while let token = tokens.popFirst() {
            if token.hasPrefix("--") || token.hasPrefix("[--") || token.hasPrefix("(--") {
                // Options are completed at any position.
                _ = tokens.popFirst()
            } else if token == "|" {
                if let other = tokens.popFirst(), !places.isEmpty, !other.hasPrefix("--") {
                    places[places.count - 1].alternatives.append(other.filter { !"()[]".contains($0) })
                }
            } else if token.hasPrefix("["), token == token.lowercased() {
                filler = token.filter { !"[]".contains($0) }
            } else {
                let isOptional = token.hasPrefix("[")
                let isRepeated = token.hasSuffix("…")
                let word = token.filter { !"()".contains($0) }
                let kind = word.contains("PRIVILEGE") ? "PRIVILEGE" : word.filter { !"[]…".contains($0) }
                places.append(Place(filler: filler, alternatives: [kind], isOptional: isOptional, isRepeated: isRepeated))
                filler = nil
            }
        }
    }
}
