//go:build !purego && (amd64 || arm64)

package smo

// foldExtremes is the end of stepExtremesGeneric for assembly that keeps eight lanes of
// element numbers mod 8: the least g + up, its index, and the largest g − low.
func foldExtremes(least *[8]float64, index *[8]int64, most *[8]float64) (i int, m, M float64) {
	l := 0
	M = most[0]
	for s := 1; s < 8; s++ {
		if least[s] < least[l] || (least[s] == least[l] && index[s] < index[l]) {
			l = s
		}
		M = max(M, most[s])
	}
	return int(index[l]), -least[l], -M
}

// foldGains is the same for secondOrderGeneric.
func foldGains(gain *[8]float64, index *[8]int64) int {
	l := 0
	for s := 1; s < 8; s++ {
		if gain[s] > gain[l] || (gain[s] == gain[l] && index[s] < index[l]) {
			l = s
		}
	}
	return int(index[l])
}
