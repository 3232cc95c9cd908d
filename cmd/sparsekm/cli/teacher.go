package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// readDecisions reads n decisions, a line each, about the samples of another file. The first line may be a heading.
func readDecisions(name string, n int, points string) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in, err := fileformat.Decompress(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := make([]float64, 0, n)
	line := 0
	for lines := bufio.NewScanner(in); ; {
		if !lines.Scan() {
			if err = lines.Err(); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
			}
			break
		}
		line++
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		v, bad := strconv.ParseFloat(text, 64)
		finite := bad == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
		switch {
		case finite && len(f) == n:
			return nil, fmt.Errorf("%s:%d: found another decision, want %d, one for each sample of %s", name, line, n, points)
		case finite:
			f = append(f, v)
		case line > 1 || bad == nil || strings.Contains(text, ","):
			return nil, fmt.Errorf("%s:%d: found %.40q, want one finite number a line", name, line, text)
		}
	}
	if len(f) < n {
		return nil, fmt.Errorf("%s: found %d decisions, want %d, one for each sample of %s", name, len(f), n, points)
	}
	return f, nil
}
