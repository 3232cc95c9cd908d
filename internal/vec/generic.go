package vec

// The portable loops. They are compiled on every machine: they are the reference
// that tests hold the assembly against.

func dotGeneric[T Float](x, y []T) (s T) {
	y = y[:len(x)]
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func axpyGeneric[T Float](a T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}
