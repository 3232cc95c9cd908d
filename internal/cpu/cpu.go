// Package cpu chooses the SIMD level of all hand-written kernels of the module.
//
// It chooses once, at program start. A level needs all processor features that its kernels use, and an operating
// system that supports the registers. The environment variable SPARSEKM_CPU=generic|avx2|avx512|neon overrides the
// choice. The build tag purego leaves only the portable levels.
//
// It also measures the processor time of the process, to which other work on the host does not add, asks the system for
// large pages, and keeps large memory that nobody uses for the next training.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// Level is a family of kernels.
type Level uint8

const (
	Generic Level = iota // portable Go, on every host
	SIMD                 // Go's package simd, in builds with GOEXPERIMENT=simd since Go 1.27
	NEON                 // arm64 Advanced SIMD
	AVX2                 // AVX2 and FMA
	AVX512               // AVX-512 F, DQ, BW, VL
)

// levels describes each level. The kernels of the level that it extends also run on it, and stand before it.
var levels = [...]struct {
	name    string // for SPARSEKM_CPU; in capitals, it ends the names of assembly functions
	extends Level
	fused   bool // see Fused
	here    bool // the host and the build have everything that the kernels use
}{
	Generic: {name: "generic", here: true},
	SIMD:    {name: "simd", fused: FastFMA, here: Vectors},
	NEON:    {name: "neon", fused: true, here: assembly && cpu.ARM64.HasASIMD},
	AVX2:    {name: "avx2", fused: true, here: assembly && x86.HasAVX && x86.HasAVX2 && x86.HasFMA},
	AVX512: {name: "avx512", extends: AVX2, fused: true,
		here: assembly && x86.HasAVX512F && x86.HasAVX512DQ && x86.HasAVX512BW && x86.HasAVX512VL},
}

var x86 = &cpu.X86

// Dots reports whether l has dot products of bytes here: AVX-512 VNNI, AVX-VNNI, or the extension of arm64.
func (l Level) Dots() bool {
	switch l {
	case NEON:
		return cpu.ARM64.HasASIMDDP
	case AVX2:
		return x86.HasAVXVNNI
	case AVX512:
		return x86.HasAVX512VNNI
	}
	return false
}

// String returns the name that SPARSEKM_CPU accepts.
func (l Level) String() string { return levels[l].name }

// Extends returns the level whose kernels also run at l: AVX2 for AVX512, Generic for the others.
func (l Level) Extends() Level { return levels[l].extends }

// Fused reports whether the kernels of l round a product and a sum once. The portable ones round twice in some loops.
func (l Level) Fused() bool { return levels[l].fused }

// All returns every level of every architecture, Generic first. A level stands after the one that it extends.
func All() []Level {
	all := make([]Level, len(levels))
	for l := range all {
		all[l] = Level(l)
	}
	return all
}

// Parse is the inverse of String.
func Parse(s string) (Level, error) {
	var names []string
	for _, l := range All() {
		if l.String() == s {
			return l, nil
		}
		names = append(names, l.String())
	}
	return Generic, fmt.Errorf("cpu: unknown level %q (want one of %s)", s, strings.Join(names, ", "))
}

// EnvVar is the environment variable that overrides the detected level.
const EnvVar = "SPARSEKM_CPU"

var (
	available = slices.DeleteFunc(All(), func(l Level) bool {
		return !levels[l].here || !levels[l.Extends()].here
	})
	active, ignore = choose(os.Getenv(EnvVar), available)
)

// choose returns the level that want names, or the best one and the reason why want is ignored.
func choose(want string, have []Level) (level Level, ignored string) {
	best := have[len(have)-1]
	if want == "" {
		return best, ""
	}
	l, err := Parse(want)
	switch {
	case err != nil:
		return best, err.Error()
	case !slices.Contains(have, l):
		return best, fmt.Sprintf("cpu: this host or build has no level %s", l)
	}
	return l, ""
}

// Ignored returns the reason why the level that the environment names is not in use, or "".
func Ignored() string { return ignore }

// Active returns the level in use.
func Active() Level { return active }

// Available returns every level that this host and build can run, Generic first, best last.
func Available() []Level { return slices.Clone(available) }

// Has reports whether l can run here.
func Has(l Level) bool { return slices.Contains(available, l) }

// Use makes l the active level until restore is called. It is for tests and benchmarks; no other kernel may run
// between the two calls. It panics if l is not available.
func Use(l Level) (restore func()) {
	if !Has(l) {
		panic("cpu: level " + l.String() + " is not available")
	}
	old := active
	active = l
	return func() { active = old }
}

// Table holds one T a level, such as a struct of block sizes. A package fills one table and reads [Table.Active].
// Kernels are not kept in tables, because a program would link all of them: see internal/asmgen.
type Table[T any] struct{ entries [len(levels)]T }

// NewTable returns a table of the portable entry and the given entries. A level without an entry gets the entry of
// the level that it extends.
func NewTable[T any](portable T, entries map[Level]T) *Table[T] {
	t := new(Table[T])
	t.entries[Generic] = portable
	for _, l := range All()[1:] {
		entry, ok := entries[l]
		if !ok {
			entry = t.entries[l.Extends()]
		}
		t.entries[l] = entry
	}
	return t
}

// Active returns the entry of the active level. The caller must not change it.
func (t *Table[T]) Active() *T { return &t.entries[active] }
