#ifndef MUNIMENT_DISK_WITNESS_H
#define MUNIMENT_DISK_WITNESS_H

/// From now on says on standard output what goes to which file, a line each when it is done: `write PATH` and `sync PATH`.
///
/// A process that is killed leaves what it wrote to the system, which brings it to the disk all the same. Whether it waited for the
/// disk shows only in what it asked of the system.
void tellOfTheDisk(void);

/// Makes the next `fsync` or `fdatasync` of the process fail with an error. As on Linux, later ones succeed, although the data of the
/// failed one may be lost.
void failNextSync(int error);

#endif
