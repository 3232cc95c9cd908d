// Package pages asks the system for large pages where memory is written for the first time: matrices of megabytes,
// of which every page of 4 KiB would be a fault of its own.
package pages

// Worth is the number of bytes from which on it pays to ask.
const Worth = 4 << 20
