// Package fileformat holds the common code of the readers of samples and of models: compressed files, NumPy arrays,
// and the names of unsupported formats.
//
// Arrays have NumPy's format .npy (NEP 1, versions 1 to 3): numbers of any size and byte order, booleans and strings.
// The readers execute nothing in a file: they reject arrays of Python objects.
package fileformat
