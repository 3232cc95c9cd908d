#define _XOPEN_SOURCE 600
#include "library.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static struct library library;
static pid_t process; /* in which it was loaded; 0 before */

static sigset_t before; /* the signals that were blocked before library_begin */

void library_begin(void)
{
    /* Those of faults stay, and SIGURG, with which Go interrupts its own threads: Go handles them on stacks of its own. */
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGURG};
    static const int through[] = {SIGPROF, SIGCHLD};
    struct sigaction act;
    sigset_t set;
    size_t i;

    for (i = 0; i < sizeof through / sizeof *through; i++)
        if (sigaction(through[i], NULL, &act) == 0 && (act.sa_flags & SA_ONSTACK) == 0 && act.sa_handler != SIG_DFL &&
            act.sa_handler != SIG_IGN) {
            act.sa_flags |= SA_ONSTACK;
            sigaction(through[i], &act, NULL);
        }
    sigfillset(&set);
    for (i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&set, own[i]);
    pthread_sigmask(SIG_BLOCK, &set, &before);
}

int library_end(int code)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

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
    library_begin(); /* for the threads that start here, and theirs */
    loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    library_end(0);
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
