#include "CTimex.h"
#include <sys/timex.h>

// In C, since a module that includes <sys/timex.h> would own the fields of `timespec`.
int muniment_clock_is_synchronized(void) {
    struct timex state = {0};
    int answer = adjtimex(&state);
    return answer >= 0 && answer != TIME_ERROR;
}
