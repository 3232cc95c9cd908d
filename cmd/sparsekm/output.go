package main

import (
	"encoding/json"
	"fmt"
)

// writeJSON prints v on standard output, on lines of its own. encoding/json
// writes the shortest digits that read back to the same float64.
func (s *session) writeJSON(v any) error {
	enc := json.NewEncoder(s.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// formatBytes writes a size for people, in binary units.
func formatBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, u := float64(n)/1024, 0
	for ; v >= 1024 && u < len(units)-1; u++ {
		v /= 1024
	}
	return fmt.Sprintf("%.4g %ciB", v, units[u])
}
