package sparsekm_test

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// Profiles say of the work of a training which phase, method and round it is for. The kernel looks at the profile of
// all goroutines while it is called.
func TestProfileLabels(t *testing.T) {
	var mu sync.Mutex
	var profiles strings.Builder
	calls := 0
	kernel := gram.Custom(func(x, z []float64) float64 {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%500 == 0 {
			var b bytes.Buffer
			if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
				t.Error(err)
			}
			profiles.Write(b.Bytes())
		}
		d := 0.0
		for i := range x {
			d += (x[i] - z[i]) * (x[i] - z[i])
		}
		return 1 / (1 + d)
	})
	set := dataset.Ringnorm(100, 1)
	if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: ssvc.B{}, Kernel: kernel}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"phase":"train"`, `"method":"ssvc-b"`, `"round":"1"`} {
		if !strings.Contains(profiles.String(), want) {
			t.Errorf("no label %s in %d bytes of profiles after %d calls of the kernel", want, profiles.Len(), calls)
		}
	}
}
