import LMDB

/// Returns the records in the log file of a store. The store must not be open.
func logRecords(ofStoreAt path: String) throws -> [(key: [UInt8], value: [UInt8])] {
    let environment = try Environment(path: path + "/log", options: EnvironmentOptions(isReadOnly: true))
    defer { environment.close() }
    let table = try environment.table(nil, creating: false)
    let transaction = try environment.beginReading()
    defer { transaction.end() }
    let cursor = try transaction.cursor(over: table)
    defer { cursor.close() }
    var records: [(key: [UInt8], value: [UInt8])] = []
    var isThere = try cursor.first()
    while isThere {
        cursor.withRow { key, value in
            // If a command was refused, the name of the table of refusals is also listed.
            guard key[0] == 0 || key[0] == 0x80 else { return }
            records.append((key.indices.map { key[$0] }, value.indices.map { value[$0] }))
        }
        isThere = try cursor.next()
    }
    return records
}
