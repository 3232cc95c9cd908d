package sparsekm_test

import (
	"path"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestLevel(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		if got := "level=" + sparsekm.Level(); got != path.Base(t.Name()) {
			t.Errorf("the level is %q", got)
		}
	})
}
