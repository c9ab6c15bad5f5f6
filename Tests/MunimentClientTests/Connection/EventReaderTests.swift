import Testing

@testable import MunimentClient

@Suite("Server-sent events")
struct EventReaderTests {
    private let text = """
        retry: 10\r
        \r
        id: 3

        :
        id: 4
        event: data
        data: a\u{2028}
        data:b
        unknown: x

        id: 5
        data
        """

    @Test("Events are read from pieces of any size", arguments: [1, 7, 1_000])
    func pieces(size: Int) {
        var reader = EventReader(lastID: "2")
        var events: [EventBlock] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.receive(Array(bytes[start..<min(start + size, bytes.count)])).filter { $0.data != nil }
        }
        #expect(events == [EventBlock(event: "data", id: "4", data: "a\u{2028}\nb", position: "4")])
        #expect(reader.retryMilliseconds == 10)
        // The event with position 5 is incomplete, so a new connection continues before it.
        #expect(reader.lastID == "4")
        #expect(reader.receive(Array("\n\n".utf8)) == [EventBlock(event: "message", id: "5", data: "", position: "5")])
        #expect(reader.lastID == "5")
    }
}
