#ifndef MUNIMENT_CPAGER_H
#define MUNIMENT_CPAGER_H
/// Starts the pager: the shell command in PAGER, or `less`. Returns the descriptor of its input, or -1 if it could not be started.
int muniment_pager_start(void);
/// Waits until the pager of the last start has ended.
void muniment_pager_wait(void);
#endif
