// Package linear registers the methods of package ssvc that solve linear programs: ssvc-b, ssvc-w, ssvr-b,
// sparse-one-class and ssvc-features-b. Programs that ask for them by name import it, or learn/all. A program that
// names them by type, such as ssvc.B{C: 1}, need not.
package linear

import (
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

func init() {
	for _, t := range []learn.Described{ssvc.B{}, ssvc.W{}, ssvc.RegressB{}, ssvc.OneClass{}, ssvc.FeaturesB{}} {
		learn.Register(t.Describe())
	}
}
