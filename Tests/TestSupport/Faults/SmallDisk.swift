import Foundation

/// A small file system, if this process may create one.
public struct SmallDisk {
    private let path: String

    public static let isPossible: Bool = {
        guard getuid() == 0, let folder = try? ScratchFolder(), let disk = try? SmallDisk(at: folder.path, bytes: 100_000) else {
            return false
        }
        disk.unmount()
        return true
    }()

    public init(at path: String, bytes: Int) throws {
        self.path = path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", path)
    }

    public func resize(bytes: Int) throws { try Self.run("mount", "-o", "remount,size=\(bytes)", path) }

    public func unmount() { try? Self.run("umount", path) }

    private static func run(_ command: String...) throws {
        guard try ChildProcess(command).finish().exitCode == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
