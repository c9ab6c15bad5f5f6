import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport

extension StoreFixture {
    /// Returns the permission system as one caller sees it.
    func roles(_ caller: Name = "user:root") -> Roles { Roles(store, as: caller) }

    /// Lets every user query the user's own privileges in a locked store, and gives everyone all privileges on the store and the
    /// given classes.
    func openUpperLevels(_ classes: String...) async throws {
        let roles = roles()
        for (level, privileges) in Roles.metadata { try await roles.set(privileges, for: .everyone, at: level) }
        try await roles.set(.builtIn, for: .everyone, at: .store)
        for name in classes { try await roles.set(.builtIn, for: .everyone, at: .class(name)) }
    }

    /// Registers users.
    func register(_ users: Name...) throws { for user in users { try commit(.register(user)) } }

    /// Whether a caller can read an object's value.
    func canRead(_ object: Name, _ caller: Name) throws -> Bool {
        do {
            _ = try store.read { try $0.value(of: object, as: caller) }
            return true
        } catch let refusal as Refusal where refusal.code == .noPrivilege || refusal.code == .notAuthenticated {
            return false
        }
    }

    /// The result of a class query by a caller; nil if it is refused.
    func query(_ className: String, _ caller: Name) throws -> [String]? {
        do { return try store.read { try $0.list(class: className, as: caller) } } catch let refusal as Refusal
            where refusal.code == .noPrivilege || refusal.code == .notAuthenticated
        {
            return nil
        }
    }
}

/// Returns why a call is refused, or nil if it is not.
func refusal(_ body: () async throws -> Void) async throws -> Refusal.Code? {
    do {
        try await body()
        return nil
    } catch let refusal as Refusal {
        return refusal.code
    }
}
