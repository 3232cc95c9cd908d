package svc

import (
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

// Huang et al. (2010), section 4.1: 102 support vectors on Ripley's data.
func TestRipley(t *testing.T) {
	p := read(t, "open/ripley-tr.libsvm", 2, gram.RBFSigma(0.5))
	r, err := Trainer{C: 1}.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r.Report)
	if len(r.Support) != 102 {
		t.Errorf("%d support vectors, want 102", len(r.Support))
	}
}
