package cli

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

type cpuCmd struct {
	Levels bool `help:"Print only the names of the levels that this host and build have, worst first."`
}

// cpuReport is what `sparsekm cpu --json` prints.
type cpuReport struct {
	CPU      string   `json:"cpu"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"` // logical processors that Go will use
	Level    string   `json:"level"`
	Why      string   `json:"why"`
	Levels   []string `json:"levels"` // available here, worst first
	Override string   `json:"override"`
	Cache    struct {
		L1D int `json:"l1d"` // bytes, −1 when unknown
		L2  int `json:"l2"`
		L3  int `json:"l3"`
	} `json:"cache"`
	Blocks   map[string]map[string]int `json:"blocks"` // package → name → size
	Features []string                  `json:"features"`
}

func (c *cpuCmd) Run(s *session.Session) error {
	r := inspectCPU()
	switch {
	case c.Levels:
		fmt.Fprintln(s.Stdout, strings.Join(r.Levels, " "))
	case s.JSON:
		return s.WriteJSON(r)
	default:
		fmt.Fprintf(s.Stdout, "processor  %s (%s, %d logical processors in use)\n", r.CPU, r.Arch, r.Cores)
		fmt.Fprintf(s.Stdout, "caches     L1d %s, L2 %s, L3 %s\n", cacheSize(r.Cache.L1D), cacheSize(r.Cache.L2),
			cacheSize(r.Cache.L3))
		fmt.Fprintf(s.Stdout, "level      %s: %s\n", r.Level, r.Why)
		fmt.Fprintf(s.Stdout, "available  %s (choose one with %s)\n", strings.Join(r.Levels, ", "), cpu.EnvVar)
		for _, pkg := range slices.Sorted(maps.Keys(r.Blocks)) {
			fmt.Fprintf(s.Stdout, "%-11s%s\n", pkg, sizes(r.Blocks[pkg]))
		}
		fmt.Fprintf(s.Stdout, "features   %s\n", strings.Join(r.Features, " "))
	}
	return nil
}

func inspectCPU() *cpuReport {
	r := &cpuReport{
		CPU:      cpuid.CPU.BrandName,
		Arch:     runtime.GOARCH,
		Cores:    runtime.GOMAXPROCS(0),
		Level:    sparsekm.Level(),
		Override: os.Getenv(cpu.EnvVar),
		Blocks:   map[string]map[string]int{"gram": gram.Blocks(), "gemm": dense.Blocks()},
		Features: cpuid.CPU.FeatureSet(),
	}
	r.Cache.L1D, r.Cache.L2, r.Cache.L3 = cpuid.CPU.Cache.L1D, cpuid.CPU.Cache.L2, cpuid.CPU.Cache.L3
	for _, l := range cpu.Available() {
		r.Levels = append(r.Levels, l.String())
	}
	switch {
	case cpu.Ignored() != "":
		r.Why = fmt.Sprintf("%s=%q was ignored (%s)", cpu.EnvVar, r.Override, cpu.Ignored())
	case r.Override != "":
		r.Why = cpu.EnvVar + " asks for it"
	case len(r.Levels) == 1:
		r.Why = "this processor or build has no other"
	default:
		r.Why = "the best that the processor, the operating system and this build have"
	}
	return r
}

func cacheSize(bytes int) string {
	if bytes <= 0 {
		return "unknown"
	}
	return formatBytes(int64(bytes))
}

// formatBytes writes a size for people, in binary units.
func formatBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, u := float64(n)/1024, 0
	for ; v >= 1024 && u < len(units)-1; u++ {
		v /= 1024
	}
	return fmt.Sprintf("%.4g %ciB", v, units[u])
}

// sizes lists block sizes by name.
func sizes(blocks map[string]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		fmt.Fprintf(&b, "%s %d, ", strings.ReplaceAll(name, "_", " "), blocks[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
