// Names, JSON and times are part of the interface of permissions.
@_exported public import Primitives
