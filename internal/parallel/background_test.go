package parallel_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Background waits for what it runs, but no longer than for the end of the context, of which it may have to ask.
func TestBackground(t *testing.T) {
	n := 0
	if !parallel.Background(t.Context(), func() { n++ }) || n != 1 {
		t.Errorf("ended %d times", n)
	}
	stop, cancel := context.WithCancel(t.Context())
	begun, free := make(chan bool), make(chan bool)
	go func() {
		<-begun
		cancel()
	}()
	if parallel.Background(stop, func() { begun <- true; <-free }) {
		t.Error("cancelled, and the work is said to have ended")
	}
	silent := testutil.EndAfter(t.Context(), 2)
	if parallel.Background(silent, func() { <-free }) || silent.Looks() != 3 {
		t.Errorf("the context was asked %d times", silent.Looks())
	}
	close(free)
	v := panicOf(func() { parallel.Background(t.Context(), func() { panic("bad") }) })
	if p, ok := v.(*parallel.Panic); !ok || p.Value != "bad" {
		t.Errorf("a panic becomes %v", v)
	}
}
