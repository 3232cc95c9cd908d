//go:build wasm || 386 || arm || mips || mipsle || mips64 || mips64le

package fma

// Fast reports whether math.FMA is an instruction here.
const Fast = false
