/* GNU extensions that Swift does not see: starting a process, and files in memory. */
#ifndef MUNIMENT_CHILD_SPAWN_H
#define MUNIMENT_CHILD_SPAWN_H

#include <sys/types.h>

/* Starts a process that has descriptors 0, 1 and 2 only, blocks no signals and has the default action for each.

   folder: the working folder; NULL for that of the caller.
   descriptors: three descriptors of the caller that become 0, 1 and 2; a number below 0 leaves the caller's own.
   Returns 0 and sets *child, or returns an errno. */
int child_spawn(
    pid_t *child, const char *folder, const int *descriptors, char *const *arguments, char *const *environment);

/* Returns the descriptor of an empty file without a name, which no other process inherits; -1 with errno if there is none. */
int child_memory(void);

#endif
