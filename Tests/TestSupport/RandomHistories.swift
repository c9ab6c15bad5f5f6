/// Tests that use random histories need one import, as those of other packages do.
@_exported public import RandomHistories
