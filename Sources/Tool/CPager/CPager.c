#define _GNU_SOURCE
#include "CPager.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// In C, since Foundation starts children in process groups of their own, and these may not use the terminal.
static pid_t pager = -1;

int muniment_pager_start(void) {
    const char *command = getenv("PAGER");
    if (!command) command = "less";
    // Without these options, less shows colours as text, and stays open for a short output.
    setenv("LESS", "FRX", 0);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pager = fork();
    if (pager == 0) {
        // The tool ignores SIGPIPE, and a child would inherit that.
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[0], STDIN_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)0);
        _exit(127);
    }
    close(ends[0]);
    if (pager > 0) return ends[1];
    close(ends[1]);
    return -1;
}

void muniment_pager_wait(void) {
    if (pager > 0) waitpid(pager, 0, 0);
}
