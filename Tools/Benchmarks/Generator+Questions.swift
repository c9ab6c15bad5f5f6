extension Generator {
    /// What a check is asked about. Each case has its own path to an answer.
    enum Path: CaseIterable, Sendable {
        /// An entry of the user on the object itself: yes.
        case direct
        /// An entry of the highest of ``chainLength`` nested roles on the object's folder: yes.
        case nested
        /// Any user, any object, any rank: mostly no.
        case random
    }

    /// This many questions of one kind, the same every time.
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

    /// The object lies in a top folder, whose entry for the highest role of a chain reaches the users of its lowest one.
    private func nestedQuestion(_ random: inout SplitMix64) -> Question {
        let group = Int.random(in: 0..<(folders / Self.folderGroup), using: &random)
        let folder = group * Self.folderGroup
        let object = folder + folders * .random(in: 0..<(objects - folder + folders - 1) / folders, using: &random)
        let chain = folder % chains
        let user = chain + chains * .random(in: 0..<(users - chain + chains - 1) / chains, using: &random)
        return Question(subject: self.user(user), object: self.object(object), rank: 1)
    }
}
