package fileformat

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

type inner struct {
	A float64 `json:"a"`
	B string  `json:"b,omitempty"`
}

type sample struct {
	inner
	F       float64            `json:"f"`
	Floats  []float64          `json:"floats"`
	Array   [2]float32         `json:"array"`
	None    []int              `json:"none"`
	Left    []int              `json:"left,omitempty"`
	Zero    float64            `json:"zero,omitzero"`
	Pointer *inner             `json:"pointer"`
	Nil     *inner             `json:"nil"`
	Any     any                `json:"any"`
	Map     map[string]float64 `json:"map"`
	Bytes   []byte             `json:"bytes"`
	Skipped float64            `json:"-"`
	At      time.Time          `json:"at"`
	Plain   int
	private float64
}

// TestMarshal holds that finite values come as encoding/json has them, also where another number is none.
func TestMarshal(t *testing.T) {
	of := func(f float64) *sample {
		return &sample{inner: inner{A: f, B: "\"<"}, F: f, Floats: []float64{1e300, f}, Array: [2]float32{0.1, float32(f)},
			Left: []int{}, Pointer: &inner{A: f}, Any: map[string]any{"x": f, "y": 1}, Map: map[string]float64{"b": f, "a": 2},
			Bytes: []byte("ab"), Skipped: f, At: time.Unix(7, 0).UTC(), Plain: 3, private: f}
	}
	want, err := json.Marshal(of(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Marshal(of(0.5)); err != nil || string(got) != string(want) {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	nulls := strings.NewReplacer("0.5", "null").Replace(string(want))
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := Marshal(of(f)); err != nil || string(got) != nulls {
			t.Errorf("%v: %s (%v), want %s", f, got, err, nulls)
		}
	}
	if _, err := Marshal(map[string]any{"f": func() {}, "x": math.NaN()}); err == nil {
		t.Error("a function became JSON")
	}
}
