// Package vec holds the level-1 loops that the solvers spend their time in, with
// the same dispatch as package gram. Lengths follow the first argument; a shorter
// second argument panics.
package vec

// Float is the element type of a vector.
type Float interface{ float32 | float64 }
