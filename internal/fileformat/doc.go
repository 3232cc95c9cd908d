// Package fileformat has what readers of samples and of models share: compressed files, NumPy's arrays, and the names
// of formats that are not read.
//
// Arrays are of NumPy's format .npy (NEP 1, versions 1 to 3): numbers of any size and byte order, truth values and
// texts. Nothing in a file is run: arrays of Python objects are refused.
package fileformat
