import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

/// A store on disk with a class of shared notes, and a handle for each signed-in user.
struct NoteBoard {
    let fixture: StoreFixture
    let ann: SharedObjects
    let bob: SharedObjects
    let cleo: SharedObjects

    fileprivate init(_ fixture: StoreFixture) async throws {
        self.fixture = fixture
        try await SharedObjects.define(class: "note", in: fixture.store, as: "user:root")
        ann = try await NoteBoard.signedIn("user:ann", fixture.store)
        bob = try await NoteBoard.signedIn("user:bob", fixture.store)
        cleo = try await NoteBoard.signedIn("user:cleo", fixture.store)
    }

    private static func signedIn(_ user: Name, _ store: Store) async throws -> SharedObjects {
        let notes = SharedObjects(in: store, class: "note")
        try await notes.setCurrentUser(user)
        return notes
    }

    func signedIn(_ user: Name) async throws -> SharedObjects { try await NoteBoard.signedIn(user, fixture.store) }
}

func withNotes(_ preset: Preset = .locked, _ body: (NoteBoard) async throws -> Void) async throws {
    try await withStore(preset) { fixture in try await body(try await NoteBoard(fixture)) }
}

/// Returns the error code of a refused call, or nil if it is not refused.
func refusalCode(_ call: () async throws -> Void) async throws -> Refusal.Code? {
    do {
        try await call()
        return nil
    } catch let refusal as Refusal {
        return refusal.code
    } catch let error as SaveError {
        return error.errors.first?.code
    }
}

/// Returns all reasons why a save is refused, in order.
func saveErrors(_ call: () async throws -> Void) async throws -> [Refusal] {
    do {
        try await call()
        return []
    } catch let error as SaveError {
        return error.errors
    }
}

func text(_ text: String) -> JSONValue { .object(["text": .string(text)]) }
