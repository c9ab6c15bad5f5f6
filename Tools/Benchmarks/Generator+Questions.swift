extension Generator {
    /// The kinds of questions. Each needs a different path through the data.
    enum Path: CaseIterable, Sendable {
        /// The user has an entry on the object itself: allowed.
        case direct
        /// The highest of ``chainLength`` nested roles has an entry on the object's folder: allowed.
        case nested
        /// A random user, object and rank: mostly denied.
        case random
    }

    /// Returns this many questions of one kind, the same in each run.
    func questions(_ path: Path, count: Int) -> [Question] {
        var random = SplitMix64(seed: seed &+ 0x5175_6573_7469_6F6E)
        return (0..<count).map { _ in
            switch path {
            case .direct: directQuestion(&random)
            case .nested: nestedQuestion(&random)
            case .random:
                Question(
                    subject: user(.random(in: 0..<users, using: &random)), object: object(.random(in: 0..<objects, using: &random)),
                    rank: .random(in: 1...Self.highestRank, using: &random))
            }
        }
    }

    private func directQuestion(_ random: inout SplitMix64) -> Question {
        while true {
            let entry = objectEntry(.random(in: 0..<objectEntries, using: &random))
            if entry.subject.hasPrefix("user:") { return entry }
        }
    }

    /// The object is in a top folder. The folder's entry for the highest role of a chain includes the users of the lowest role.
    private func nestedQuestion(_ random: inout SplitMix64) -> Question {
        let group = Int.random(in: 0..<(folders / Self.folderGroup), using: &random)
        let folder = group * Self.folderGroup
        let object = folder + folders * .random(in: 0..<(objects - folder + folders - 1) / folders, using: &random)
        let chain = folder % chains
        let user = chain + chains * .random(in: 0..<(users - chain + chains - 1) / chains, using: &random)
        return Question(subject: self.user(user), object: self.object(object), rank: 1)
    }
}
