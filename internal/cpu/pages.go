package cpu

// LargePagesFrom is the number of bytes from which large pages pay. Memory of many megabytes that is written for the
// first time would otherwise cause a page fault for every 4 KiB.
const LargePagesFrom = 4 << 20
