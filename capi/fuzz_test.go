package main

import (
	"testing"

	"github.com/sparsekm/sparsekm"
)

// FuzzOptions reads the JSON options of every long call. Those of a training are an error, or have a method.
func FuzzOptions(f *testing.F) {
	for _, text := range []string{
		`{"method": "svc", "params": {"c": 10}, "kernel": "rbf", "gamma": 0.5}`,
		`{"method": "svc", "kernel": "rbf", "gamma": "median", "scale": "zscore", "calibrate": 5}`,
		`{"method": "ssvc-b", "sigma": 1, "multiclass": "ovr", "threads": 1, "memory": 1000, "time_limit": 0.5}`,
		`{"method": "direct", "widths": "learned", "refit": true}`, `{"method": "svr", "target_scale": true}`,
		`{"method": "direct", "categories": "learned", "columns": [1, 4, 2]}`, `{"method": "svc", "categories": "learned-3"}`,
		`{"method": "l1svm", "kernel": "poly", "degree": 3, "coef0": 1}`, `{"method": "svc", "kernel": "mahalanobis"}`,
		`{"max_sv": 3, "move": true, "table": 7}`, `{"max_loss": 1e999}`, `{"columns": "auto", "drop": ["a"], "label": ""}`, `{"tau": -1}`, `{"c": 1, "gain": 0.1, "passes": -1, "kernel": "rbf"}`,
		`{"method": "svc", "params": {"c": null}}`, `{"method": 7}`, `{} {}`, `[`, `null`, `{"threads": -1}`, `{"time_limit": -0.5}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tr training
		if parse(text, &tr) == nil {
			if o, err := tr.options(); err == nil && o.Trainer == nil {
				t.Errorf("%q: no method", text)
			}
		}
		var r reduction
		_ = parse(text, &r)
		var columns tableOptions
		_ = parse(text, &columns)
		var p pooling
		if parse(text, &p) == nil {
			var o sparsekm.Options
			_ = p.Apply(&o)
		}
	})
}
