package dataset

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteRange writes the scaling as a range file of LIBSVM's svm-scale:
//
//	x
//	lower upper
//	index min max      for every feature that is not constant
//
// svm-scale knows only intervals, so z-scores are written as the map of [mean − deviation, mean + deviation] to [−1,
// 1], which is the same scaling.
func (sc *Scaling) WriteRange(w io.Writer) error {
	lo, hi := sc.Lo, sc.Hi
	if sc.Kind == ScaleZ {
		lo, hi = -1, 1
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "x\n%v %v\n", lo, hi)
	for k, c := range sc.Center {
		width := sc.Spread[k]
		switch {
		case width == 0:
		case sc.Kind == ScaleZ:
			fmt.Fprintf(b, "%d %v %v\n", k+1, c-width, c+width)
		default:
			fmt.Fprintf(b, "%d %v %v\n", k+1, c, c+width)
		}
	}
	return b.Flush()
}

// ReadRange reads a range file of LIBSVM's svm-scale for samples of d features.
// Features that it does not mention were constant. Errors name the file.
func ReadRange(r io.Reader, file string, d int) (*Scaling, error) {
	sc := &Scaling{Kind: ScaleMinMax, Center: make([]float64, d), Spread: make([]float64, d)}
	line, last := 0, 0
	fail := func(found, want string) error {
		return &Error{File: file, Line: max(line, 1), Found: found, Want: want}
	}
	err := eachLine(r, file, &Options{}, func(b []byte) (used bool, err error) {
		line++
		text := strings.TrimSpace(string(b))
		switch {
		case line == 1 && text == "y":
			return true, fail("a scaling of labels", "x (class labels are not scaled)")
		case line == 1 && text != "x":
			return true, fail(quote([]byte(text)), "x")
		case line == 1 || text == "":
			return text != "", nil
		}
		words := strings.Fields(text)
		var v [3]float64
		if len(words) != min(line, 3) {
			return true, fail(fmt.Sprintf("%d words", len(words)),
				[...]string{"lower upper", "index min max"}[min(line-2, 1)])
		}
		for i, w := range words {
			var found string
			if v[i], found = parseFloat([]byte(w)); found != "" {
				return true, fail(found, "a finite number")
			}
		}
		if line == 2 {
			sc.Lo, sc.Hi = v[0], v[1]
			return true, nil
		}
		i, err := strconv.Atoi(words[0])
		if err != nil || i <= last || i > d {
			return true, fail("index "+words[0], fmt.Sprintf("ascending indices from 1 to %d", d))
		}
		if !(v[1] <= v[2]) {
			return true, fail(fmt.Sprintf("minimum %v above maximum %v", v[1], v[2]), "the smaller one first")
		}
		last, sc.Center[i-1], sc.Spread[i-1] = i, v[1], v[2]-v[1]
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if line < 2 {
		return nil, fail("the end of the file", "x, then lower and upper")
	}
	if err := sc.Validate(d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return sc, nil
}
