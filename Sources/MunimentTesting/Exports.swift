/// Whoever draws histories names their vocabulary: one import is enough for both.
@_exported public import RandomHistories
