// Package pages asks the system for large pages for memory that is written for the first time. Matrices of many
// megabytes would otherwise cause a page fault for every 4 KiB.
package pages

// Worth is the number of bytes from which large pages pay.
const Worth = 4 << 20
