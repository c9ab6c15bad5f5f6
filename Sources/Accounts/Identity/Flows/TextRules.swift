/// Rules for profiles and device names.
enum TextRules {
    static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl }
    }

    /// Returns a valid profile, or throws.
    static func checked(_ profile: Profile) throws(AccountProblem) -> Profile {
        if let name = profile.displayName {
            guard !name.isEmpty, name.utf8.count <= Profile.limitBytes, !hasControlCharacter(name) else {
                throw .malformed("`displayName` must have 1 to \(Profile.limitBytes) bytes and no control characters")
            }
        }
        if let picture = profile.picture {
            guard isAddress(picture) else {
                throw .malformed(
                    "`picture` must be an address that starts with https:// or http://, in ASCII without spaces, at most "
                        + "\(Profile.addressLimitBytes) bytes")
            }
        }
        return profile
    }

    /// Returns the user's profile. Missing fields are filled from the provider's profile if its values are valid.
    static func merged(_ profile: Profile, with offered: Profile) -> Profile {
        let name = try? checked(Profile(displayName: offered.displayName)).displayName
        let picture = try? checked(Profile(picture: offered.picture)).picture
        return Profile(displayName: profile.displayName ?? name, picture: profile.picture ?? picture)
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: { text.utf8.starts(with: $0.utf8) }) else { return false }
        let bytes = text.utf8
        return bytes.count > scheme.utf8.count && bytes.count <= Profile.addressLimitBytes
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}
