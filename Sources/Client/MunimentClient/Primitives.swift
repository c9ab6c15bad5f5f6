// Names, times, revisions and JSON are part of the interface of the client.
@_exported public import Primitives
