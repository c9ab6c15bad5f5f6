#define _GNU_SOURCE
#include "ChildSpawn.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>

int child_spawn(
    pid_t *child, const char *folder, const int *descriptors, char *const *arguments, char *const *environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    if (folder != NULL) code = posix_spawn_file_actions_addchdir_np(&actions, folder);
    for (int number = 0; number < 3 && code == 0; number++)
        if (descriptors[number] >= 0) code = posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (code == 0) code = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int child_memory(void) { return memfd_create("output", MFD_CLOEXEC); }
