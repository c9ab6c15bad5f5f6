// JSON, times, names and the byte codec are part of the interface of events.
@_exported public import Primitives
