// Package sparsekm trains kernel classifiers that need very few support vectors,
// and shrinks the ones people already have.
package sparsekm
