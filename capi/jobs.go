package main

// #include "types.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
)

// job is a call that may go on after it has returned to its caller. Its results are read once done is closed.
type job struct {
	done         chan struct{}
	code         C.int
	model        C.skm_model
	report, text *C.char
}

// jobs are those that have returned SKM_RUNNING, by their numbers.
var (
	jobs    sync.Map // uint64 → *job
	lastJob atomic.Uint64
)

// long is [call] for a function that may take long and makes a model. While it runs in the background it does not touch
// what the caller's model, report and text point to.
func long(w *C.skm_the_watch, m *C.skm_model, report, text **C.char, f func(*C.skm_model, **C.char) error) C.int {
	if w != nil && w.job != nil {
		*w.job = 0
	}
	if w == nil || w.job == nil || w.patience <= 0 || m == nil {
		return call(text, func() error { return f(m, report) })
	}
	j := &job{done: make(chan struct{})}
	go func() {
		defer close(j.done)
		j.code = call(&j.text, func() error { return f(&j.model, &j.report) })
	}()
	if !j.ends(w.patience) {
		n := lastJob.Add(1)
		jobs.Store(n, j)
		*w.job = C.uint64_t(n)
		return C.SKM_RUNNING
	}
	return j.deliver(m, report, text)
}

// ends waits so many milliseconds at most, and reports whether the job has ended.
func (j *job) ends(milliseconds C.int64_t) bool {
	const most = 1 << 40 // about 35 years
	limit := time.NewTimer(time.Duration(min(milliseconds, most)) * time.Millisecond)
	defer limit.Stop()
	select {
	case <-j.done:
		return true
	case <-limit.C:
		return false
	}
}

// deliver hands over the results.
func (j *job) deliver(m *C.skm_model, report, text **C.char) C.int {
	if text != nil {
		*text, j.text = j.text, nil
	}
	if j.code == C.SKM_OK {
		*m = j.model
		if report != nil {
			*report, j.report = j.report, nil
		}
	}
	free(j.text)
	free(j.report)
	return j.code
}

//export skm_wait
func skm_wait(number C.uint64_t, milliseconds C.int64_t, m *C.skm_model, report, text **C.char) C.int {
	found, ok := jobs.Load(uint64(number))
	if !ok || m == nil {
		return call(text, func() error {
			return argument("skm_wait: there is no job %d, or its end was told, or model is NULL", uint64(number))
		})
	}
	j := found.(*job)
	if !j.ends(milliseconds) {
		return C.SKM_RUNNING
	}
	if _, ok = jobs.LoadAndDelete(uint64(number)); !ok {
		return call(text, func() error { return argument("skm_wait: job %d was waited for twice at once", uint64(number)) })
	}
	return j.deliver(m, report, text)
}
