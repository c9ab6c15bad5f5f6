/// A generated company of any size: nested roles, users in several roles, folders, objects in folders, and entries on both.
///
/// All data is computed from the parameters and the seed, so the same parameters give the same operations. A question about the i-th
/// entry needs no list of all ten million entries.
///
/// - Roles form chains of ``chainLength``: the members of a chain's lowest role are members of all roles above it.
/// - A user is in the lowest role of two chains and in the middle of a third.
/// - Every eighth folder is a top folder and contains the seven folders after it. An object is in one folder.
/// - A folder gives rank 1 to the highest role of one chain, and rank 2 to the middle of another.
/// - All other entries are on objects, four in five of them for a user. Their order is independent of the order of the keys.
/// - At the end, ``rewrites`` entries are revoked and granted again, so that the past differs from the present.
struct Generator: Sendable {
    static let chainLength = 5
    static let middle = 2
    /// Folders in the group of a top folder, including the top folder.
    static let folderGroup = 8
    static let highestRank = 3
    /// The step between the objects and subjects of consecutive entries. It is a prime, and the counts must not be multiples of it.
    private static let stride: UInt64 = 7_368_787

    /// Number of entries at the head of the store.
    let entries: Int
    let users: Int
    let chains: Int
    let folders: Int
    let objects: Int
    let rewrites: Int
    let seed: UInt64

    /// Creates a company with this many entries at the end. Other numbers that are not given are in proportion.
    init(
        entries: Int, users: Int? = nil, chains: Int? = nil, folders: Int? = nil, objects: Int? = nil, rewrites: Int? = nil,
        seed: UInt64 = 1
    ) {
        self.entries = entries
        self.users = Swift.max(users ?? entries / 20, 20)
        self.chains = Swift.max(chains ?? self.users / 25, 3)
        self.objects = Swift.max(objects ?? entries / 10, Self.folderGroup)
        self.folders = Swift.max(folders ?? self.objects / 50, Self.folderGroup)
        self.rewrites = rewrites ?? entries / 10
        self.seed = seed
        precondition(entries >= 3 * self.folders, "a store needs \(3 * self.folders) entries or more for its folders")
    }

    var roles: Int { chains * Self.chainLength }
    /// Entries on objects. All other entries, two each, are on folders.
    var objectEntries: Int { entries - 2 * folders }

    func user(_ index: Int) -> String { "user:\(index)" }
    /// The role at this height of a chain; 0 is the lowest.
    func role(chain: Int, height: Int) -> String { "role:\(chain).\(height)" }
    func folder(_ index: Int) -> String { "folder:\(index)" }
    func object(_ index: Int) -> String { "doc:\(index)" }

    /// The folder that contains an object.
    func folder(ofObject index: Int) -> Int { index % folders }

    private func scattered(_ index: Int, _ purpose: UInt64, below count: Int) -> Int {
        let word = SplitMix64.mixed(UInt64(index) &* 0x9E37_79B9_7F4A_7C15 &+ purpose &+ seed &* 0xD134_2543_DE82_EF95)
        return Int(word % UInt64(count))
    }

    /// The i-th entry on an object. If there are enough subjects, no two entries have the same subject and object.
    func objectEntry(_ index: Int) -> Question {
        let object = Int(UInt64(index) &* Self.stride % UInt64(objects))
        let round = index / objects
        let rank = 1 + scattered(index, 1, below: Self.highestRank)
        if round % 5 == 4 {
            let chain = (scattered(object, 2, below: chains) + round / 5) % chains
            let height = scattered(index, 3, below: Self.chainLength)
            return Question(subject: role(chain: chain, height: height), object: self.object(object), rank: rank)
        }
        let user = (scattered(object, 4, below: users) + round) % users
        return Question(subject: self.user(user), object: self.object(object), rank: rank)
    }

    /// The two entries on a folder.
    func folderEntries(_ index: Int) -> [Question] {
        let highest = role(chain: index % chains, height: Self.chainLength - 1)
        let middle = role(chain: (index + 1) % chains, height: Self.middle)
        return [
            Question(subject: highest, object: folder(index), rank: 1), Question(subject: middle, object: folder(index), rank: 2),
        ]
    }

    /// The roles that a user is a direct member of.
    func memberships(ofUser index: Int) -> [String] {
        let home = index % chains
        let second = (home + 1 + scattered(index, 5, below: chains - 2)) % chains
        let third = (home + chains - 1) % chains
        return [
            role(chain: home, height: 0), role(chain: second, height: 0), role(chain: third, height: Self.middle),
        ]
    }
}
