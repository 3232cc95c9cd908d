package dataset

import (
	"context"
	"errors"
	"testing"
)

func TestAutoScale(t *testing.T) {
	for name, tt := range map[string]struct {
		x     []float64
		kind  ScaleKind
		ratio float64
	}{
		"alike":       {[]float64{0, 0, 1, 30}, ScaleNone, 30},
		"apart":       {[]float64{0, 0, 1, 31}, ScaleZ, 31},
		"offset":      {[]float64{0, 1e6, 1, 1e6 + 1}, ScaleNone, 1},
		"one of them": {[]float64{0, 7, 1, 7}, ScaleNone, 1},
		"constant":    {[]float64{7, 7, 7, 7}, ScaleNone, 1},
		"no rows":     {nil, ScaleNone, 1},
		"huge":        {[]float64{-1e307, 0, 1e307, 1}, ScaleZ, 2e307},
	} {
		kind, ratio, err := AutoScale(t.Context(), &Set{X: tt.x, N: len(tt.x) / 2, D: 2})
		if kind != tt.kind || ratio != tt.ratio || err != nil {
			t.Errorf("%s: %v, %v, %v; want %v, %v", name, kind, ratio, err, tt.kind, tt.ratio)
		}
	}
	if _, _, err := AutoScale(&counted{t.Context(), 2}, Ringnorm(20000, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
