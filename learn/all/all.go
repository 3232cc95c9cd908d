// Package all registers every method of the module, refits and learnt widths: a program that imports it has them all.
//
//	import _ "github.com/sparsekm/sparsekm/learn/all"
//
// A program that names its method by type, such as ssvc.A{C: 1}, imports that method's package alone and links no
// other.
package all

import (
	_ "github.com/sparsekm/sparsekm/learn/bayes"
	_ "github.com/sparsekm/sparsekm/learn/density"
	_ "github.com/sparsekm/sparsekm/learn/direct"
	_ "github.com/sparsekm/sparsekm/learn/greedy"
	_ "github.com/sparsekm/sparsekm/learn/lssvm"
	_ "github.com/sparsekm/sparsekm/learn/refit"
	_ "github.com/sparsekm/sparsekm/learn/scsvc"
	_ "github.com/sparsekm/sparsekm/learn/skm"
	_ "github.com/sparsekm/sparsekm/learn/sparsest"
	_ "github.com/sparsekm/sparsekm/learn/ssvc"
	_ "github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	_ "github.com/sparsekm/sparsekm/learn/svc"
)
