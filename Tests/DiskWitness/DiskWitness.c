#include "DiskWitness.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool isTelling = false;
static atomic_int nextError = 0;

void tellOfTheDisk(void) { isTelling = true; }

void failNextSync(int error) { nextError = error; }

static bool fails(void) {
    int error = atomic_exchange(&nextError, 0);
    if (error != 0) errno = error;
    return error != 0;
}

static void tell(const char *deed, int descriptor) {
    if (!isTelling) return;
    int error = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    if (length > 0) dprintf(STDOUT_FILENO, "%s %.*s\n", deed, (int)length, path);
    errno = error;
}

// A program's own functions come before those of the C library, for the libraries that it is linked with as well. Each of these does
// what the one that it stands for does.

int fsync(int descriptor) {
    if (fails()) return -1;
    int result = (int)syscall(SYS_fsync, descriptor);
    if (result == 0) tell("sync", descriptor);
    return result;
}

int fdatasync(int descriptor) {
    if (fails()) return -1;
    int result = (int)syscall(SYS_fdatasync, descriptor);
    if (result == 0) tell("sync", descriptor);
    return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    ssize_t result = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (result >= 0) tell("write", descriptor);
    return result;
}
