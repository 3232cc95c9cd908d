// Package ref has literal twins of the methods: the papers' formulas as they are printed, with plain loops, systems by
// elimination, and everything formed anew at each step. It is slow, shares nothing with the solvers, and only tests
// import it. A twin's names begin with its method's.
package ref
