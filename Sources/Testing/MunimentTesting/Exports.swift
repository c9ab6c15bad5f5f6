/// Exported because random histories need its vocabulary type. One import is then sufficient.
@_exported public import RandomHistories
