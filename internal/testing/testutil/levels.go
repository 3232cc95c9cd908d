package testutil

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// RequireVar names the SIMD levels, separated by commas, whose absence fails
// [EachLevel]: a build host that should have them sets it.
const RequireVar = "SPARSEKM_REQUIRE"

// EachLevel runs f as a subtest at every SIMD level. A level that the host or
// build lacks is skipped by name, or a failure if SPARSEKM_REQUIRE lists it. A
// SPARSEKM_CPU that cannot be honoured is a failure too: the run would test
// something else than was asked for. Under -short only the level in use runs:
// short runs repeat what the ordinary run tests at every level.
func EachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	want := os.Getenv(cpu.EnvVar) // read here too, so that the test cache knows of it
	if why := cpu.Ignored(); why != "" {
		t.Fatalf("%s=%q: %s", cpu.EnvVar, want, why)
	}
	require := required(t, os.Getenv(RequireVar))
	inUse := cpu.Active()
	for _, l := range cpu.All() {
		t.Run("level="+l.String(), func(t *testing.T) {
			switch {
			case testing.Short() && l != inUse:
				t.Skip("short: only the level in use")
			case cpu.Has(l):
				defer cpu.Use(l)()
				f(t)
			case slices.Contains(require, l):
				t.Errorf("%s requires level %v, which this host or build does not have", RequireVar, l)
			default:
				t.Skipf("this host or build does not have level %v", l)
			}
		})
	}
}

func required(t *testing.T, list string) (levels []cpu.Level) {
	t.Helper()
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		l, err := cpu.Parse(name)
		if err != nil {
			t.Fatalf("%s: %v", RequireVar, err)
		}
		levels = append(levels, l)
	}
	return levels
}
