//go:build race

package gram

const raceEnabled = true
