package cli

import (
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/modelselect"
)

// noteConstant says on how many splits a setting has one answer for every sample: no better than the class alone.
func noteConstant(s *session.Session, runs []*modelselect.Run) {
	constant, all, what := 0, 0, "class"
	for _, r := range runs {
		if r != nil {
			if all++; r.Constant {
				constant++
			}
			if _, values := r.Losses[modelselect.RMSE.String()]; values {
				what = "value"
			}
		}
	}
	if constant > 0 {
		s.Note("on %d of %d splits every sample was given the same %s: try another --c, --gamma or --scale",
			constant, all, what)
	}
}
