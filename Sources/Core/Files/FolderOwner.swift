internal import Glibc

/// Gives a file or folder that root has created to the owner of the folder that contains it.
///
/// An operator often uses the tool as root, and the service runs as another user, which must be able to open the new file. Does nothing
/// for other users, who cannot give files away, and nothing for a symbolic link's target.
public func giveToOwnerOfFolder(_ path: String) {
    guard geteuid() == 0 else { return }
    var (own, status) = (stat(), stat())
    guard unsafe stat(parentFolder(of: path), &status) == 0, unsafe lstat(path, &own) == 0, own.st_uid == 0, status.st_uid != 0,
        // A folder in which every user may create files, such as `/tmp`, says nothing about the user of the service.
        status.st_mode & 0o002 == 0
    else { return }
    _ = unsafe lchown(path, status.st_uid, status.st_gid)
}
