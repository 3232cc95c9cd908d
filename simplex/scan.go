package simplex

import "math"

// scanner does colMax_j = max(colMax_j, |row_j|), and returns the largest |row_j|
// and whether all of them are finite; where they are not, colMax is of no use.
type scanner func(colMax, row []float64) (largest float64, ok bool)

// scan is the scanner of the level in use.
func scan(colMax, row []float64) (largest float64, ok bool) { return (*scans.Active())(colMax, row) }

func scanGeneric(colMax, row []float64) (largest float64, ok bool) {
	ok = true
	colMax = colMax[:len(row)]
	for j, v := range row {
		v = math.Abs(v)
		ok = ok && v <= math.MaxFloat64
		largest = max(largest, v)
		colMax[j] = max(colMax[j], v)
	}
	return largest, ok
}
