// Package workers runs functions on goroutines of their own whose panics come to the goroutine that waits for them.
// A panic that nobody recovers in a goroutine ends the process, and only the goroutine itself can recover it: a program
// in C that calls the library would end with it, whatever the caller recovers.
package workers

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is goroutines that one waits for. The zero value has none.
type Group struct {
	wait  sync.WaitGroup
	one   sync.Mutex
	first *Panic
	sum   float64 // of a simulation's goroutines, in seconds
	last  float64 // the longest of them
}

// Panic is what Wait panics with: the first panic of a goroutine, and where it was.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\nin a worker:\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error, as those of the runtime are.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Go runs f on a goroutine.
func (g *Group) Go(f func()) {
	if s := simulated.Load(); s != nil {
		t := s.took(f)
		g.sum, g.last = g.sum+t, max(g.last, t)
		return
	}
	g.wait.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.failed(v, debug.Stack())
			}
		}()
		f()
	})
}

func (g *Group) failed(v any, stack []byte) {
	g.one.Lock()
	defer g.one.Unlock()
	if g.first != nil {
		return
	}
	inner, ok := v.(*Panic) // of a group inside
	if !ok {
		inner = &Panic{v, stack}
	}
	g.first = inner
}

// Wait waits for all goroutines. If one has panicked, it panics with a [Panic].
func (g *Group) Wait() {
	g.wait.Wait()
	if s := simulated.Load(); s != nil {
		s.saved += g.sum - g.last
		g.sum, g.last = 0, 0
	}
	if g.first != nil {
		panic(g.first)
	}
}
