package sparsekm

import (
	"github.com/sparsekm/sparsekm/learn"

	// The methods: a program that imports this package has all of them. A package of
	// another module joins in the same way, with learn.Register and an import.
	_ "github.com/sparsekm/sparsekm/learn/bayes"
	_ "github.com/sparsekm/sparsekm/learn/density"
	_ "github.com/sparsekm/sparsekm/learn/direct"
	_ "github.com/sparsekm/sparsekm/learn/greedy"
	_ "github.com/sparsekm/sparsekm/learn/lssvm"
	_ "github.com/sparsekm/sparsekm/learn/scsvc"
	_ "github.com/sparsekm/sparsekm/learn/skm"
	_ "github.com/sparsekm/sparsekm/learn/ssvc"
	_ "github.com/sparsekm/sparsekm/learn/svc"
)

// Method is a way to train, registered under the name that the command line uses.
type Method = learn.Method

// Methods returns every method of the program, by name.
func Methods() []Method { return learn.Methods() }

// Lookup finds a method by name; its error is a [*learn.UnknownMethodError].
func Lookup(name string) (Method, error) { return learn.Lookup(name) }
