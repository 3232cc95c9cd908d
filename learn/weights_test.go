package learn_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/learn"
)

func TestClassWeights(t *testing.T) {
	class := []int{0, 1, 1, 2}
	got, err := learn.ClassWeights(class, []float64{1, 0.5, 0}, []float64{1, 2, 3, 4})
	if err != nil || !reflect.DeepEqual(got, []float64{1, 1, 1.5, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	got, err = learn.ClassWeights(class, learn.Balanced(class, 3), nil)
	if want := 4.0 / 3; err != nil || got[0] != want || got[1]+got[2] != want || got[3] != want {
		t.Errorf("balanced: %v, %v", got, err)
	}
	for name, w := range map[string][]float64{"negative": {1, -1, 1}, "NaN": {1, math.NaN(), 1}, "infinite": {1, math.Inf(1), 1}, "too few": {1, 1}} {
		if _, err := learn.ClassWeights(class, w, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := learn.ClassWeights(class, []float64{1, 1, 1}, []float64{1}); err == nil {
		t.Error("one sample weight for four points: no error")
	}
}
