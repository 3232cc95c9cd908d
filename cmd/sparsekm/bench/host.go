package bench

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Host says on which host a run was made.
type Host struct {
	CPU       string   `json:"cpu"`
	Family    string   `json:"family"`    // family, model and stepping as CPUID numbers them; empty where nothing does
	Microcode string   `json:"microcode"` // as Linux says it; empty where nothing does
	Load      string   `json:"load"`      // processes that wanted a processor in the last minute, as Linux says it
	Go        string   `json:"go"`
	OS        string   `json:"os"`
	Arch      string   `json:"arch"`
	Levels    []string `json:"levels"` // worst first
	L1D       int      `json:"l1d"`    // bytes, at most 0 when unknown
	L2        int      `json:"l2"`
	L3        int      `json:"l3"`
}

func thisHost() Host {
	m := Host{CPU: cmp.Or(cpuid.CPU.BrandName, "unknown"), Microcode: microcode(), Go: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH,
		L1D: cpuid.CPU.Cache.L1D, L2: cpuid.CPU.Cache.L2, L3: cpuid.CPU.Cache.L3}
	if c := cpuid.CPU; c.Family > 0 {
		m.Family = fmt.Sprintf("%d model %d stepping %d", c.Family, c.Model, c.Stepping)
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(text), " ")
	}
	for _, l := range cpu.Available() {
		m.Levels = append(m.Levels, l.String())
	}
	return m
}

// microcode is the revision that Linux names for the first processor.
func microcode() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "microcode" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// buffers are the bytes that are read for the caches and for memory: in the cache that is meant and far from fitting
// into the one before. A level-3 cache may be shared by many virtual hosts, which have no more than their part of it.
func (m Host) buffers() (l1, l2, l3, dram int) {
	known := func(bytes, otherwise int) int {
		if bytes <= 0 {
			return otherwise
		}
		return bytes
	}
	c1, c2, c3 := known(m.L1D, 32<<10), known(m.L2, 512<<10), known(m.L3, 16<<20)
	const unit = 64 << 10
	l1 = c1 / 2 &^ 4095
	l2 = max(c2/4, 3*c1) &^ 4095
	l3 = min(max(4*c2, unit), max(c3/2, unit)) &^ (unit - 1)
	dram = min(max(2*c3, 64<<20), 512<<20) &^ (dramPiece - 1)
	return l1, l2, l3, dram
}
