// Moves the clock of one process: a library that is loaded before the C library (LD_PRELOAD). libfaketime of Debian 12 cannot be used,
// because it changes the environment before main, and Swift then finds no arguments of the command line.
//
// The file in CLOCK_OFFSET_FILE contains the offset in microseconds, as 8 bytes. Writing to it moves the clock at once.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000LL

static const volatile int64_t *offset_in_file;

__attribute__((constructor)) static void open_offset(void) {
    const char *path = getenv("CLOCK_OFFSET_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) offset_in_file = mapped;
}

// Adds the offset, or subtracts it with the sign -1.
static void move(struct timespec *time, int sign) {
    if (!offset_in_file) return;
    int64_t whole = time->tv_sec * BILLION + time->tv_nsec + sign * *offset_in_file * 1000;
    time->tv_sec = whole / BILLION;
    time->tv_nsec = whole % BILLION;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) move(time, 1);
    return status;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone) {
    (void)zone;
    struct timespec time;
    int status = clock_gettime(CLOCK_REALTIME, &time);
    value->tv_sec = time.tv_sec;
    value->tv_usec = time.tv_nsec / 1000;
    return status;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// A deadline of the moved clock becomes one of the kernel's clock. Deadlines of the monotonic clock are small numbers.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    static int (*original)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec moved = *deadline;
    if (moved.tv_sec > BILLION) move(&moved, -1);
    return original(condition, mutex, &moved);
}
