public import Events
public import Muniment
public import Permissions

/// The same history as it would be under another rule, or with something put in or left out.
extension History {
    /// The history in a store that starts otherwise.
    public func with(preset: Preset) -> History {
        var history = numbered
        history.preset = preset
        return history
    }

    /// The history with a class that has other options from its definition on; a later change of them keeps to it.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`.
    ///   - change: sets what is to be otherwise.
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

    /// The history with transactions put in.
    ///
    /// - Parameters:
    ///   - transactions: what is put in; anything may come of it.
    ///   - place: before which of ``entries`` they stand; their number for behind all.
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

    /// The history without some of its transactions.
    ///
    /// What comes of the others is open then: they may have rested on those.
    public func leavingOut(_ isLeftOut: (Transaction) -> Bool) -> History {
        var history = numbered.expectingAnything
        history.entries.removeAll { entry in
            if case .transaction(let transaction, _) = entry.event { isLeftOut(transaction) } else { false }
        }
        return history
    }

    /// The history with another transaction in the place of one.
    ///
    /// - Parameters:
    ///   - place: which of ``entries``.
    ///   - transaction: what happens instead. What comes of it, and of those behind it, is open.
    public func replacing(_ place: Int, with transaction: Transaction) -> History {
        var history = numbered.expectingAnything
        history.entries[place].event = .transaction(transaction, nil)
        return history
    }

    /// What of an entry that is put in has no counterpart.
    static let putIn = -1

    /// The history with each entry knowing its place, so that it is found again in a history made from this one.
    var numbered: History {
        var history = self
        for index in history.entries.indices where history.entries[index].place == nil { history.entries[index].place = index }
        return history
    }

    /// The history without what is to come of its transactions.
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
