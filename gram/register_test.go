package gram

import (
	"encoding/json"
	"testing"
)

func TestRegister(t *testing.T) {
	f := func(x, z []float64) float64 { return Linear().Eval(x, z) + 1 }
	k := Register("affine", f)
	again, err := Registered("affine")
	if err != nil || again.Name != "affine" || !again.Storable() || again.Eval([]float64{2}, []float64{3}) != 7 || k.Name != "affine" {
		t.Errorf("%v, %v", again, err)
	}
	if Custom(f).Storable() || !RBF(1).Storable() || (Kernel{Kind: KindCustom, Func: f, Name: "nobody"}).Storable() {
		t.Error("storable is what has a registered name, or is no code")
	}
	if _, err := Registered("nobody"); err == nil {
		t.Error("nobody is registered")
	}
	for name, call := range map[string]func(){
		"twice": func() { Register("affine", f) }, "no name": func() { Register("", f) }, "no function": func() { Register("x", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			call()
		}()
	}
}

// TestKernelJSON pins the names, which programs rely on.
func TestKernelJSON(t *testing.T) {
	for want, k := range map[string]Kernel{
		`{"type":"rbf","gamma":2}`:                         RBF(2),
		`{"type":"rbf","gamma":2,"weights":[1,0.5]}`:       WeightedRBF(2, []float64{1, 0.5}),
		`{"type":"linear"}`:                                Linear(),
		`{"type":"poly","gamma":0.5,"degree":3,"coef0":0}`: Poly(3, 0.5, 0),
		`{"type":"custom"}`:                                Custom(nil),
		`{"type":"custom","name":"x"}`:                     {Kind: KindCustom, Name: "x"},
		`{"type":"sigmoid","gamma":0.25,"coef0":-1}`:       Sigmoid(0.25, -1),
	} {
		if got, err := json.Marshal(k); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}
