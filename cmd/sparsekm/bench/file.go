package bench

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Print writes the tables that people read, at most 80 columns wide.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "processor  %s\n", r.CPU)
	fmt.Fprintf(&b, "           family %s, microcode %s\n", cmp.Or(r.Family, "unknown"), cmp.Or(r.Microcode, "unknown"))
	fmt.Fprintf(&b, "built by   %s for %s/%s; load %s\n\n", r.Go, r.OS, r.Arch, cmp.Or(r.Load, "unknown"))
	fmt.Fprintf(&b, "%-33s", "limits")
	for _, level := range r.Levels {
		fmt.Fprintf(&b, "%9s", level)
	}
	b.WriteByte('\n')
	for _, l := range r.Limits {
		if l.Level != r.Levels[0] {
			continue
		}
		what := l.Name
		if l.Bytes > 0 {
			what = fmt.Sprintf("%s, reads of %d KiB", l.Name, l.Bytes>>10)
		}
		fmt.Fprintf(&b, "%-26s%-7s", what, l.Unit)
		for _, level := range r.Levels {
			fmt.Fprintf(&b, "%9.3g", r.Rate(l.Name, level))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%-9s%5s%5s %-8s%-8s", "share of", "n", "d", "type", "limit")
	for _, level := range r.Levels {
		fmt.Fprintf(&b, "%9s", level)
	}
	fmt.Fprintf(&b, "%13s\n", "best µs")
	for _, first := range r.Results {
		if first.Level != r.Levels[0] {
			continue
		}
		d := "-"
		if first.D > 0 {
			d = fmt.Sprint(first.D)
		}
		fmt.Fprintf(&b, "%-9s%5d%5s %-8s%-8s", first.Name, first.N, d, first.Type, first.Bound)
		best := first
		for _, same := range r.Results {
			if same.what() == first.what() {
				fmt.Fprintf(&b, "%8.0f%%", 100*same.Share)
				best = same
			}
		}
		fmt.Fprintf(&b, "%13.4g\n", best.NS/1e3)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// what names a result but for its level.
func (r Result) what() string { return fmt.Sprint(r.Name, r.N, r.D, r.Type) }

// Rate returns the measured rate of a limit, 0 if there is no measurement.
func (r *Report) Rate(name, level string) float64 {
	for _, l := range r.Limits {
		if l.Name == name && l.Level == level {
			return l.Rate
		}
	}
	return 0
}

// Format writes the report as `go test -bench` would, for benchstat.
func (r *Report) Format(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\ncpu: %s\n", r.OS, r.Arch, r.CPU)
	fmt.Fprintf(&b, "family: %s\nmicrocode: %s\n", cmp.Or(r.Family, "unknown"), cmp.Or(r.Microcode, "unknown"))
	fmt.Fprintf(&b, "go: %s\nload: %s\n", r.Go, cmp.Or(r.Load, "unknown"))
	for _, unit := range []string{"share", "GFLOP/s", "GB/s", "Gexp/s"} {
		fmt.Fprintf(&b, "Unit %s better=higher\n", unit)
	}
	for _, l := range r.Limits {
		fmt.Fprintf(&b, "BenchmarkLimit/of=%s/bytes=%d/level=%s 1 %.4g %s\n", l.Name, l.Bytes, l.Level, l.Rate, l.Unit)
	}
	for _, x := range r.Results {
		fmt.Fprintf(&b, "Benchmark%s/d=%d/n=%d/type=%s/bound=%s/level=%s 1 %.5g ns/op %.4f share\n",
			x.Name, x.D, x.N, x.Type, x.Bound, x.Level, x.NS, x.Share)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
