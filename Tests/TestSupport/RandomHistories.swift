/// With this export, a test that uses random histories needs only one import.
@_exported public import RandomHistories
