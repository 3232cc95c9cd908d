// Package cpu chooses the SIMD level of all hand-written kernels of the module.
//
// It chooses once, at program start. A level needs all processor features that its kernels use, and an operating
// system that supports the registers. The environment variable SPARSEKM_CPU=generic|avx2|avx512|neon overrides the
// choice. The build tag purego leaves only Generic.
package cpu

import (
	"fmt"
	"os"
	"slices"
)

// Level is a family of kernels. Most packages with kernels keep them in a [Table].
type Level uint8

const (
	Generic Level = iota // portable Go, on every host
	NEON                 // arm64 Advanced SIMD
	AVX2                 // AVX2 and FMA
	AVX512               // AVX-512 F, DQ, BW, VL
)

var names = [...]string{Generic: "generic", NEON: "neon", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that SPARSEKM_CPU accepts.
func (l Level) String() string { return names[l] }

// Parse is the inverse of String.
func Parse(s string) (Level, error) {
	for l, n := range names {
		if n == s {
			return Level(l), nil
		}
	}
	return Generic, fmt.Errorf("cpu: unknown level %q (want generic, avx2, avx512 or neon)", s)
}

// EnvVar is the environment variable that overrides the detected level.
const EnvVar = "SPARSEKM_CPU"

var (
	dots           bool // see Dots; declared before available, whose initialisation sets it
	available      = append([]Level{Generic}, detect()...)
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

// Dots reports whether the best level has dot products of bytes: AVX-512 VNNI, or the extension of arm64.
func Dots() bool { return dots }

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
