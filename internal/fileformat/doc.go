// Package fileformat holds the common code of readers and writers: compressed files, NumPy arrays, the names of
// unsupported formats, JSON with numbers that JSON does not have, and files that are complete or absent.
//
// Arrays have NumPy's format .npy (NEP 1, versions 1 to 3): numbers of any size and byte order, booleans and strings.
// The readers execute nothing in a file: they reject arrays of Python objects.
package fileformat
