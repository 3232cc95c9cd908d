//go:build purego || !(amd64 || arm64)

package cpu

const assembly = false
