package sparsekm_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// witness keeps the profiles of all goroutines at the moments at which a training asks whether it shall end.
type witness struct {
	context.Context
	t        *testing.T
	mu       sync.Mutex
	calls    int
	profiles strings.Builder
}

func (w *witness) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls++; w.calls < 100 || w.calls%50 == 0 {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			w.t.Error(err)
		}
		w.profiles.Write(b.Bytes())
	}
	return w.Context.Err()
}

// Profiles say of the work of a training which phase, method and round it is for.
func TestProfileLabels(t *testing.T) {
	for _, trainer := range []learn.Trainer{ssvc.A{}, ssvc.B{}, ssvc.W{}, ssvc.FeaturesB{}} {
		w := &witness{Context: t.Context(), t: t}
		o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(0.05)}
		if strings.Contains(trainer.Name(), "features") {
			o.Kernel = gram.Linear()
		}
		if _, _, err := sparsekm.Train(w, dataset.Ringnorm(200, 1), o); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"phase":"train"`, `"method":"` + trainer.Name() + `"`, `"round":"2"`} {
			if !strings.Contains(w.profiles.String(), want) {
				t.Errorf("%s: no label %s in %d bytes of profiles of %d moments", trainer.Name(), want, w.profiles.Len(), w.calls)
			}
		}
	}
}
