/* The functions of the library in C, which is loaded when R first calls one. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "sparsekm.h"

/* Every function that R needs; the types are those of sparsekm.h, so the compiler checks each call. */
#define EACH_FUNCTION(F)                                                                                               \
    F(version) F(parse) F(bytes) F(describe) F(label) F(parts) F(decide_samples) F(sigmoids) F(variances) F(sets)       \
    F(intervals) F(train) F(reduce) F(distill) F(export) F(wait) F(methods) F(free) F(free_text)

#define MEMBER(name) __typeof__(skm_##name) *name;
struct library {
    EACH_FUNCTION(MEMBER)
};
#undef MEMBER

/* Loads the library at the path, once. Returns NULL if that fails, or in a child of fork(), where its threads are missing;
   *problem, a static text, says why. */
const struct library *library_at(const char *path, const char **problem);

/* Whether the library is loaded in this process, not in its parent. */
int library_alive(void);

/* Around every call: R's handlers of signals (Ctrl-C, timers) run on the stack that they interrupt, and a goroutine's is too
   small for them. So signals wait until the call returns, and the threads of the library never see one. Go lets two
   through, of Rprof and of children that end: these handlers get a stack of their own. library_end returns the code. */
void library_begin(void);
int library_end(int code);

#endif
