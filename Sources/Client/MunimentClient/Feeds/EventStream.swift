/// An event of a stream of server-sent events.
public struct ServerSentEvent: Hashable, Sendable {
    /// The position after this event: the value of `Last-Event-ID` that continues after it.
    public let id: String
    /// The type of the event; `message` if the service sent none.
    public let event: String
    public let data: String
}

/// A block of a stream: the lines up to an empty one. The service sends blocks without data, too: positions and heartbeats.
struct EventBlock: Hashable {
    /// The type of the event; `message` if the service sent none.
    let event: String
    /// The position in this block; nil for a block without one.
    let id: String?
    /// Nil for a block without data.
    let data: String?
    /// The position after the block, from this block or an earlier one.
    let position: String?
}

/// Reads server-sent events from the bytes of a stream, in pieces of any size (HTML standard, section 9.2).
struct EventReader {
    /// The position after the last complete block, which continues after it.
    private(set) var lastID: String?
    /// The delay in milliseconds before a client connects again, if the service has set one.
    private(set) var retryMilliseconds: Int64?
    private var nextID: String?
    private var ownID: String?
    private var event = ""
    private var data: [String] = []
    private var line: [UInt8] = []
    private var isAfterReturn = false

    init(lastID: String?) { (self.lastID, nextID) = (lastID, lastID) }

    /// Returns the blocks that are complete with these bytes, with and without data.
    mutating func receive(_ bytes: [UInt8]) -> [EventBlock] {
        var blocks: [EventBlock] = []
        var rest = bytes[...]
        // A line ends with LF, CR, or both.
        while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            let isSecond = isAfterReturn && end == rest.startIndex && rest[end] == 0x0A
            isAfterReturn = rest[end] == 0x0D
            if !isSecond {
                line += rest[..<end]
                if line.isEmpty { blocks.append(endBlock()) } else { endLine() }
                line.removeAll(keepingCapacity: true)
            }
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { isAfterReturn = false }
        line += rest
        return blocks
    }

    private mutating func endLine() {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "id" where !text.utf8.contains(0): (nextID, ownID) = (text, text)
        case "event": event = text
        case "data": data.append(text)
        case "retry": retryMilliseconds = Int64(text) ?? retryMilliseconds
        default: break
        }
    }

    private mutating func endBlock() -> EventBlock {
        // Only now: the connection can break between the position of an event and its data.
        lastID = nextID
        defer { (event, data, ownID) = ("", [], nil) }
        return EventBlock(
            event: event.isEmpty ? "message" : event, id: ownID, data: data.isEmpty ? nil : data.joined(separator: "\n"),
            position: lastID)
    }
}

/// The events of one connection. Releasing it closes the connection. Only one task at a time may read it.
///
/// A reader that is slower than the service slows down nothing else: the stream keeps at most 1 MiB for it, and then closes the
/// connection. The reader gets the events that were kept, and then the end, and continues with a new connection after ``lastEventID``.
public final class EventStream {
    private let response: any ResponseStream
    private var reader: EventReader
    private var blocks: ArraySlice<EventBlock> = []
    /// The position after the last event that ``next(isolation:)`` returned; at the end of the stream, the position that the service
    /// sent last.
    public private(set) var lastEventID: String?

    init(_ response: any ResponseStream, after lastEventID: String?) {
        self.response = response
        reader = EventReader(lastID: lastEventID)
        self.lastEventID = lastEventID
    }

    /// The delay in milliseconds that the service asks for before a new connection; nil if it has not.
    public var retryMilliseconds: Int64? { reader.retryMilliseconds }

    /// Whether the connection was closed because the reader was too slow. It can continue at once.
    public var isCut: Bool { response.isCut }

    /// Returns the next event, and nil after the end of the connection.
    ///
    /// - Parameter actor: the actor of the caller.
    /// - Throws: ``TransportError/noAnswer(_:)`` if the connection is lost, or the task is cancelled.
    public func next(
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws(TransportError) -> ServerSentEvent? {
        // The service sends positions without events, too, after changes that do not concern the reader.
        while let block = try await nextBlock() {
            if let data = block.data { return ServerSentEvent(id: block.position ?? "", event: block.event, data: data) }
        }
        return nil
    }

    /// Returns the next block, with or without data, and nil after the end of the connection.
    func nextBlock(isolation actor: isolated (any Actor)? = #isolation) async throws(TransportError) -> EventBlock? {
        while blocks.isEmpty {
            guard let bytes = try await response.next() else { return nil }
            blocks = reader.receive(bytes)[...]
        }
        let block = blocks.removeFirst()
        lastEventID = block.position
        return block
    }

    /// Closes the connection.
    public func cancel() { response.cancel() }
}
