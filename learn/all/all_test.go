package all

import (
	"testing"

	"github.com/sparsekm/sparsekm/learn"
)

// TestAgree wants one meaning of a parameter's name in all methods: flags and files know parameters by their names.
func TestAgree(t *testing.T) {
	if n := len(learn.Methods()); n < 30 {
		t.Errorf("%d methods", n)
	}
	if _, err := learn.Agree(learn.Methods()); err != nil {
		t.Error(err)
	}
}
