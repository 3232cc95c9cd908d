package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// A run measures every workload at every level, and prints it in 80 columns and for benchstat.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("reads up to half a gigabyte")
	}
	r, err := Run(t.Context(), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	levels := len(cpu.Available())
	if len(r.Limits) != 7*levels || len(r.Results) != 18*levels {
		t.Errorf("%d limits and %d results at %d levels", len(r.Limits), len(r.Results), levels)
	}
	for _, l := range r.Limits {
		if !(l.Rate > 0) || r.Rate(l.Name, l.Level) != l.Rate {
			t.Errorf("limit %+v", l)
		}
	}
	for _, x := range r.Results {
		if !(x.NS > 0 && x.Share > 0) {
			t.Errorf("result %+v", x)
		}
	}
	var text, file bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if err := r.Format(&file); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(file.String(), "\nBenchmark"), len(r.Limits)+len(r.Results); got != want {
		t.Errorf("%d lines of benchmarks, want %d:\n%s", got, want, &file)
	}
}

// A share is what the limits of its level leave, over what a call took: the parts add up.
func TestShare(t *testing.T) {
	w := &workload{flops: 4e9, exps: 1e9, expOf: "exp32", bytes: 6e9, from: "l2"}
	rates := map[string]float64{"fmaavx2": 2, "exp32avx2": 4, "l2avx2": 3, "fmageneric": 1}
	if got := w.min(rates, "avx2"); got != 2+0.25+2 {
		t.Errorf("at least %v s, want 4.25", got)
	}
	if got := w.bound(); got != "fma+exp+l2" {
		t.Errorf("bound by %s", got)
	}
	slow := &item{times: []float64{3, 1, 2}}
	if got := slow.best(); got != 1 {
		t.Errorf("the best time is %v, want 1", got)
	}
	if slow.median = true; slow.best() != 2 {
		t.Errorf("the median is %v, want 2", slow.best())
	}
}

// Every buffer fits its cache, and not the one before; all are multiples of what is read at once.
func TestBuffers(t *testing.T) {
	for _, m := range []Host{{L1D: -1, L2: -1, L3: -1}, {L1D: 48 << 10, L2: 2 << 20, L3: 300 << 20},
		{L1D: 32 << 10, L2: 512 << 10, L3: 4 << 20}, {L1D: 128 << 10, L2: 16 << 20}} {
		l1, l2, l3, dram := m.buffers()
		if !(0 < l1 && l1 < l2 && l2 < l3 && l3 < dram && dram <= 512<<20) || l1%512+l2%512+l3%512+dram%dramPiece != 0 {
			t.Errorf("%+v: buffers of %d, %d, %d, %d bytes", m, l1, l2, l3, dram)
		}
	}
}

// A run ends with its context.
func TestStops(t *testing.T) {
	if testing.Short() {
		t.Skip("writes up to half a gigabyte")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, time.Hour); err != context.Canceled || r != nil {
		t.Errorf("found %v, %v", r, err)
	}
}
