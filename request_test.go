package sparsekm_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// TestRequest: the JSON form that C, Python and R send makes options, and is kept when it is written again.
func TestRequest(t *testing.T) {
	svcWith := func(o sparsekm.Options) sparsekm.Options {
		o.Trainer = svc.Trainer{C: 10}
		return o
	}
	for text, want := range map[string]sparsekm.Options{
		`{"method":"svc","params":{"c":10}}`: svcWith(sparsekm.Options{}),
		`{"method":"svc","params":{"c":10},"kernel":"poly","gamma":0.5,"degree":2,"coef0":1,"scale":"zscore"}`: svcWith(
			sparsekm.Options{Kernel: gram.Kernel{Kind: gram.KindPoly, Gamma: 0.5, Degree: 2, Coef0: 1}, Scale: dataset.ScaleZ}),
		`{"method":"svc","params":{"c":10},"sigma":0.5,"widths":"learned","multiclass":"ovo","class_weight":{"a":2}}`: svcWith(
			sparsekm.Options{Kernel: gram.RBF(2), LearnWidths: true, Scheme: model.OneVsOne,
				ClassWeight: map[string]float64{"a": 2}}),
		`{"method":"svc","params":{"c":10},"kernel":"rational-quadratic","gamma":2,"calibrate":5,"categories":"learned-2"}`: svcWith(
			sparsekm.Options{Kernel: gram.RationalQuadratic(1, 2), Calibrate: 5, CategoryValues: 2}),
		`{"method":"svc","params":{"c":10},"coverage":0.9,"by_class":true,"coverage_folds":3,"bound":0.95}`: svcWith(
			sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.9, ByClass: true, Folds: 3},
				Bound: sparsekm.Bound{Confidence: 0.95}}),
		`{"method":"svc","params":{"c":10},"refit":true,"target_scale":true,"round_scaled":true}`: svcWith(
			sparsekm.Options{Refit: true, ScaleTarget: true, RoundScaled: true}),
	} {
		var r, again sparsekm.Request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(&r)
		if err == nil {
			err = json.Unmarshal(written, &again)
		}
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s became %s: %v", text, written, err)
		}
		got, err := r.Options()
		if c := got.Trainer.(svc.Trainer).C; c != 10 {
			t.Errorf("%s: C = %v", text, c)
		}
		got.Trainer = want.Trainer
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	r := sparsekm.Request{Method: ssvc.A{}.Name(), KernelRequest: sparsekm.KernelRequest{Gamma: "2/d"}}
	if o, err := r.Options(); err != nil || o.Gamma(&dataset.Set{D: 4}) != 0.5 {
		t.Errorf("gamma 2/d: %v", err)
	}
	r = sparsekm.Request{Method: "svc", KernelRequest: sparsekm.KernelRequest{Kernel: "mahalanobis"}}
	if o, err := r.Options(); err != nil || o.KernelOf == nil {
		t.Errorf("kernel mahalanobis: %v", err)
	}
}

// TestRequestRefused: the error of a field has its key, for a flag or an argument of that name.
func TestRequestRefused(t *testing.T) {
	for text, key := range map[string]string{
		`{"method":"svc","params":{"c":-1}}`:                              "c",
		`{"method":"svc","gamma":-1}`:                                     "gamma",
		`{"method":"svc","gamma":true}`:                                   "gamma",
		`{"method":"svc","gamma":1,"sigma":1}`:                            "sigma",
		`{"method":"svc","sigma":0}`:                                      "sigma",
		`{"method":"svc","kernel":"linear","gamma":1}`:                    "gamma",
		`{"method":"svc","degree":3}`:                                     "degree",
		`{"method":"svc","kernel":"poly","degree":0}`:                     "degree",
		`{"method":"svc","delta":1}`:                                      "delta",
		`{"method":"svc","kernel":"mahalanobis","delta":0}`:               "delta",
		`{"method":"svc","kernel":"mahalanobis","gamma":1}`:               "gamma",
		`{"method":"svc","kernel":"rational-quadratic","alpha":0}`:        "alpha",
		`{"method":"svc","kernel":"linear","widths":"learned"}`:           "widths",
		`{"method":"svc","widths":"wide"}`:                                "widths",
		`{"method":"svc","categories":"some"}`:                            "categories",
		`{"method":"` + ownKernelMethod(t) + `","gamma":1}`:               "gamma",
		`{"method":"` + ownKernelMethod(t) + `","kernel":"rbf"}`:          "kernel",
		`{"method":"` + ownKernelMethod(t) + `","widths":"learned"}`:      "widths",
		`{"method":"` + ownKernelMethod(t) + `","kernel":"","gamma":"x"}`: "gamma",
	} {
		var r sparsekm.Request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		_, err := r.Options()
		var bad *learn.ParamError
		if !errors.As(err, &bad) || bad.Param != key {
			t.Errorf("%s: error %v, want one of %s", text, err, key)
		}
	}
	for _, text := range []string{`{"method":"none"}`, `{"method":"svc","kernel":"none"}`, `{"method":"svc","scale":"none?"}`,
		`{"method":"svc","multiclass":"none"}`} {
		var r sparsekm.Request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Options(); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// ownKernelMethod is a method with a kernel of its own.
func ownKernelMethod(t *testing.T) string {
	for _, m := range sparsekm.Methods() {
		if m.OwnKernel {
			return m.Name
		}
	}
	t.Fatal("no method has a kernel of its own")
	return ""
}
