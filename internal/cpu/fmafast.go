//go:build !wasm && !386 && !arm && !mips && !mipsle && !mips64 && !mips64le

package cpu

// FastFMA reports whether math.FMA is a processor instruction on this architecture.
const FastFMA = true
