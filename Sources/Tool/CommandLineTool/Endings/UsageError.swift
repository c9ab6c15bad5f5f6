/// An invalid call.
struct UsageError: Error {
    /// The problem, the word, and the remedy.
    let problem: String
    /// The command, if it is known.
    var command: Command?

    init(_ problem: String) { self.problem = problem }

    /// The problem, with the syntax of the command.
    var message: String {
        guard let command else { return problem + "\n`muniment help` lists the commands" }
        return "\(command.name): \(problem)\nusage: \(command.usage)\n`muniment help \(command.name)` shows an example"
    }
}

extension UsageError {
    /// Returns the known word that is most similar; nil if none is similar enough.
    static func nearest(to word: String, among known: [String]) -> String? {
        let distances = known.map { (word: $0, distance: editDistance(word, $0)) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    /// Returns the number of letters to insert, delete or replace to change one word into the other.
    private static func editDistance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
