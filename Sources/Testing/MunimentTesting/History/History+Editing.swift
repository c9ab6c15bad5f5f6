public import Events
public import Muniment
public import Permissions

/// Variants of a history: other rules, or inserted or removed transactions.
extension History {
    /// Returns the history in a store with another preset.
    public func with(preset: Preset) -> History {
        var history = numbered
        history.preset = preset
        return history
    }

    /// Returns the history with other options for a class from its definition on, including later changes of the class.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`.
    ///   - change: sets the different options.
    public func changing(class className: String, _ change: (inout ClassSettings) -> Void) -> History {
        var history = numbered
        for index in history.entries.indices {
            history.entries[index].changes = history.entries[index].changes.map { original in
                switch original {
                case .defineClass(let name, var settings) where name == className:
                    change(&settings)
                    return .defineClass(name, settings)
                case .changeClass(let name, var settings) where name == className:
                    change(&settings)
                    return .changeClass(name, settings)
                default: return original
                }
            }
        }
        return history
    }

    /// Returns the history with inserted transactions.
    ///
    /// - Parameters:
    ///   - transactions: the transactions to insert. Any outcome is accepted.
    ///   - place: the index in ``entries`` to insert before; the number of entries appends.
    public func inserting(_ transactions: [Transaction], at place: Int) -> History {
        var history = numbered
        let entries = transactions.map { transaction in
            var entry = Entry(.transaction(transaction, nil))
            entry.place = History.putIn
            return entry
        }
        history.entries.insert(contentsOf: entries, at: place)
        return history
    }

    /// Returns the history without some of its transactions.
    ///
    /// The other transactions may then have any outcome, because they may depend on the removed ones.
    public func leavingOut(_ isLeftOut: (Transaction) -> Bool) -> History {
        var history = numbered.expectingAnything
        history.entries.removeAll { entry in
            if case .transaction(let transaction, _) = entry.event { isLeftOut(transaction) } else { false }
        }
        return history
    }

    /// Returns the history with one transaction replaced.
    ///
    /// - Parameters:
    ///   - place: the index in ``entries``.
    ///   - transaction: the replacement. It and all later transactions may have any outcome.
    public func replacing(_ place: Int, with transaction: Transaction) -> History {
        var history = numbered.expectingAnything
        history.entries[place].event = .transaction(transaction, nil)
        return history
    }

    /// The place of an inserted entry, which has no counterpart.
    static let putIn = -1

    /// The history with each entry's index stored in the entry. The entry can then be found in a derived history.
    var numbered: History {
        var history = self
        for index in history.entries.indices where history.entries[index].place == nil { history.entries[index].place = index }
        return history
    }

    /// The history without expected outcomes.
    var expectingAnything: History {
        var history = self
        for index in history.entries.indices {
            if case .transaction(let transaction, _) = history.entries[index].event {
                history.entries[index].event = .transaction(transaction, nil)
            }
        }
        return history
    }
}
