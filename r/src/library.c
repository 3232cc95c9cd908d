#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static struct library library;
static pid_t process; /* in which it was loaded; 0 before */

int library_alive(void)
{
    return process != 0 && process == getpid();
}

const struct library *library_at(const char *path, const char **problem)
{
    static char text[512];
    void *loaded, *found;

    if (library_alive())
        return &library;
    if (process != 0) {
        *problem = "sparsekm was used before this process was forked (as mclapply does), and its threads are not in the "
                   "child: use it in the children alone, or a cluster of makePSOCKcluster()";
        return NULL;
    }
    *problem = text;
    loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) {
        snprintf(text, sizeof text, "%s", dlerror());
        return NULL;
    }
/* A cast between pointers to data and to functions is what ISO C lacks and POSIX demands. */
#define FIND(name)                                                                                                     \
    found = dlsym(loaded, "skm_" #name);                                                                               \
    if (found == NULL) {                                                                                               \
        snprintf(text, sizeof text, "%s has no function skm_%s", path, #name);                                         \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    *(void **)&library.name = found;
    EACH_FUNCTION(FIND)
#undef FIND
    process = getpid();
    return &library;
}
