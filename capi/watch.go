package main

// #include "types.h"
//
// static inline int32_t skm_stopped(const skm_watch *w) { return w->stop ? *w->stop : 0; }
// static inline int skm_event(const skm_watch *w, double done, char *text) { return w->progress(w->user, done, text); }
import "C"

import (
	"context"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm/learn"
)

// stopLook is the interval at which the caller's flag is read.
const stopLook = 5 * time.Millisecond

// watched returns a context that ends with the caller's flag or the time limit, a function for the events of a training
// (nil without a callback), and a function to call at the end; after that nothing of the caller's memory is used.
func watched(w *C.skm_watch, limit float64) (ctx context.Context, progress func(learn.Event), end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopLimit := func() {}
	if limit > 0 {
		ctx, stopLimit = context.WithTimeout(ctx, time.Duration(min(limit*1e9, 1<<62)))
	}
	var looking sync.WaitGroup
	if w != nil && C.skm_stopped(w) != 0 {
		cancel()
	} else if w != nil && w.stop != nil {
		looking.Go(func() { look(ctx, w, cancel) })
	}
	if w != nil && w.progress != nil {
		var one sync.Mutex
		progress = func(e learn.Event) {
			text := C.CString(e.String())
			defer free(text)
			one.Lock()
			defer one.Unlock()
			if C.skm_event(w, C.double(e.Done), text) != 0 {
				cancel()
			}
		}
	}
	return ctx, progress, func() { cancel(); stopLimit(); looking.Wait() }
}

// look cancels the context after the caller sets the flag.
func look(ctx context.Context, w *C.skm_watch, cancel func()) {
	tick := time.NewTicker(stopLook)
	defer tick.Stop()
	for C.skm_stopped(w) == 0 {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	cancel()
}
