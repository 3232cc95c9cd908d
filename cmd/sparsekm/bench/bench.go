// Package bench measures the kernels and solvers of the library, at every SIMD level of the host, as shares of what
// the host can do at most, which is measured in the same run.
package bench

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// rounds is how often everything is measured again: other work on the host rarely disturbs all of them.
const rounds = 4

// Report is what a run measured.
type Report struct {
	Host
	Limits  []Limit  `json:"limits"`
	Results []Result `json:"results"`
}

// Limit is what a loop that does nothing else reaches at a level.
type Limit struct {
	Name  string  `json:"name"`  // fma, l1, l2, l3, dram, exp64, exp32
	Level string  `json:"level"` // SIMD level of the loop
	Rate  float64 `json:"rate"`  // in Unit
	Unit  string  `json:"unit"`  // GFLOP/s (of float64; float32 has twice as many), GB/s, Gexp/s
	Bytes int     `json:"bytes"` // of the buffer that is read; 0 where there is none
}

// Result is one workload at a level.
type Result struct {
	Name  string  `json:"name"`
	N     int     `json:"n"`
	D     int     `json:"d,omitempty"` // features, or columns; 0 where there are none
	Type  string  `json:"type"`
	Level string  `json:"level"`
	Bound string  `json:"bound"` // the limit that bounds it, or two of them one after the other
	NS    float64 `json:"ns"`    // best time of a call
	Share float64 `json:"share"` // time that the limits leave at least, over NS
}

// item is what is measured at a level.
type item struct {
	level  cpu.Level
	limit  string // name of the limit; empty for a workload
	work   *workload
	call   func() // once
	median bool   // times are judged by their median: the best one may have met a cache
	times  []float64
}

// Run measures for about as long as budget says, at least everything once. It ends with the error of ctx.
func Run(ctx context.Context, budget time.Duration) (*Report, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	m := thisHost()
	loads, works := newLimits(m), newWorkloads(ctx)
	var items []*item
	for _, level := range cpu.Available() {
		for _, l := range loads {
			items = append(items, &item{level: level, limit: l.name, call: l.call, median: l.name == "dram"})
		}
		for _, w := range works {
			items = append(items, &item{level: level, work: w, call: w.call})
		}
	}
	for r := range rounds {
		left := budget - time.Since(start)
		if r > 0 && left <= 0 {
			break
		}
		slice := max(0, left) / time.Duration((rounds-r)*len(items))
		for _, it := range items {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			it.measure(slice)
		}
	}
	return newReport(m, loads, items), ctx.Err()
}

// piece is the time that calls are grouped to, longer than a clock's step and shorter than the turn that another
// process gets.
const piece = 100 * time.Microsecond

// measure calls for about as long as slice says and keeps the times of one call.
func (it *item) measure(slice time.Duration) {
	defer cpu.Use(it.level)()
	end := time.Now().Add(slice)
	calls := 1
	for {
		before := time.Now()
		for range calls {
			it.call()
		}
		took := time.Since(before)
		if it.times = append(it.times, took.Seconds()/float64(calls)); !time.Now().Before(end) {
			return
		}
		if took < piece {
			calls *= 2
		}
	}
}

// best is the time of one call: the shortest, or the median.
func (it *item) best() float64 {
	if !it.median {
		return slices.Min(it.times)
	}
	slices.Sort(it.times)
	return it.times[len(it.times)/2]
}

// rate is a limit's, in units of 10⁹ a second.
func (it *item) rate(l *load) float64 {
	defer cpu.Use(it.level)()
	return l.amount() / it.best() / 1e9
}

// newReport makes rates of the limits' times and shares of the others.
func newReport(m Host, loads []*load, items []*item) *Report {
	r := &Report{Host: m}
	rates := make(map[string]float64)
	for _, it := range items {
		for _, l := range loads {
			if l.name != it.limit {
				continue
			}
			rate := it.rate(l)
			rates[l.name+it.level.String()] = rate
			r.Limits = append(r.Limits, Limit{Name: l.name, Level: it.level.String(), Rate: rate, Unit: l.unit, Bytes: l.bytes})
		}
	}
	for _, it := range items {
		if it.work == nil {
			continue
		}
		w, took := it.work, it.best()
		r.Results = append(r.Results, Result{Name: w.name, N: w.n, D: w.d, Type: w.typ, Level: it.level.String(),
			Bound: w.bound(), NS: 1e9 * took, Share: w.min(rates, it.level.String()) / took})
	}
	return r
}
