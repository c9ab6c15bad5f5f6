@testable import MunimentReplica

/// The object of the client. The store has a type of this name, too.
typealias ReplicaObject = MunimentReplica.ReplicaObject
