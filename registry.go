package sparsekm

import "github.com/sparsekm/sparsekm/learn"

// Method is a way to train, registered under the name that the command line uses.
type Method = learn.Method

// Methods returns every method of the program, by name.
func Methods() []Method { return learn.Methods() }

// Lookup finds a method by name; its error is a [*learn.UnknownMethodError].
func Lookup(name string) (Method, error) { return learn.Lookup(name) }
