#ifndef MUNIMENT_CTIMEX_H
#define MUNIMENT_CTIMEX_H
/// Whether the kernel says that a time service keeps the wall clock right: 1 or 0.
int muniment_clock_is_synchronized(void);
#endif
