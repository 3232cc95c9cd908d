package ssvc

import (
	"math"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
)

// A kernel matrix in the memory of another is the same, whatever that has left there.
func TestReusedMatrix(t *testing.T) {
	p := ref.Ripley(t)
	for _, a := range []A{{C: 1}, {C: 1, Norm: 1.5, MaxIter: 5}, {C: 1, TwoNorm: 0.1, MaxIter: 5}} {
		want := ref.Train(t, a, p)
		used := make([]float64, p.N*(p.N+1)+100)
		for i := range used {
			used[i] = math.NaN()
		}
		cpu.Release(used)
		got := ref.Train(t, a, p)
		got.Report.Seconds, want.Report.Seconds = learn.Seconds{}, learn.Seconds{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, want %+v", a, got, want)
		}
	}
}
