package export_test

import (
	"fmt"
	"math"
	"slices"
)

// run evaluates the graph on n rows: a slow reading of the operators' definitions, for what the exporter uses.
func (m *onnxModel) run(x []float64, n, d int) map[string]*tensor {
	at := map[string]*tensor{"x": {shape: []int{n, d}, v: x}}
	for name, t := range m.tensors {
		at[name] = t
	}
	for _, nd := range m.nodes {
		in := make([]*tensor, len(nd.in))
		for i, name := range nd.in {
			if in[i] = at[name]; in[i] == nil {
				panic(fmt.Sprintf("%s before its input %s", nd.op, name))
			}
		}
		at[nd.out] = evaluate(nd, in)
	}
	return at
}

var elementwise = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	"Pow": math.Pow, "Min": math.Min, "Max": math.Max,
	"GreaterOrEqual": func(a, b float64) float64 {
		if a >= b {
			return 1
		}
		return 0
	},
	"Greater": func(a, b float64) float64 {
		if a > b {
			return 1
		}
		return 0
	},
}

var unary = map[string]func(float64) float64{
	"Exp": math.Exp, "Log": math.Log, "Sqrt": math.Sqrt, "Tanh": math.Tanh, "Abs": math.Abs,
	"Sigmoid":  func(v float64) float64 { return 1 / (1 + math.Exp(-v)) },
	"Identity": func(v float64) float64 { return v }, "Cast": func(v float64) float64 { return v },
}

func evaluate(n node, in []*tensor) *tensor {
	a := in[0]
	if f := elementwise[n.op]; f != nil {
		return broadcast(func(v []float64) float64 { return f(v[0], v[1]) }, in...)
	}
	if f := unary[n.op]; f != nil {
		return broadcast(func(v []float64) float64 { return f(v[0]) }, a)
	}
	switch n.op {
	case "Where":
		return broadcast(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, in...)
	case "MatMul":
		return matmul(a, in[1])
	case "Gather":
		return gather(a, in[1], n.attr["axis"])
	case "Unsqueeze":
		return &tensor{shape: slices.Insert(slices.Clone(a.shape), int(in[1].v[0]), 1), v: a.v}
	case "Squeeze":
		return &tensor{shape: slices.Delete(slices.Clone(a.shape), int(in[1].v[0]), int(in[1].v[0])+1), v: a.v}
	case "Reshape":
		t := &tensor{v: a.v}
		rest := len(a.v)
		for _, s := range in[1].v {
			if s > 0 {
				rest /= int(s)
			}
		}
		for _, s := range in[1].v {
			if s < 0 {
				s = float64(rest)
			}
			t.shape = append(t.shape, int(s))
		}
		return t
	case "ReduceSum":
		return reduce(a, int(in[1].v[0]), true, func(s, v float64, _ int) float64 { return s + v })
	case "ReduceMin":
		return reduce(a, n.attr["axes"][0], n.attr["keepdims"][0] == 1, func(s, v float64, i int) float64 {
			if i == 0 {
				return v
			}
			return min(s, v)
		})
	case "ArgMax":
		var best float64
		return reduce(a, n.attr["axis"][0], n.attr["keepdims"][0] == 1, func(s, v float64, i int) float64 {
			if i == 0 || v > best {
				best = v
				return float64(i)
			}
			return s
		})
	case "Slice":
		var idx []float64
		for i := int(in[1].v[0]); i < int(in[2].v[0]); i++ {
			idx = append(idx, float64(i))
		}
		return gather(a, &tensor{shape: []int{len(idx)}, v: idx}, []int{int(in[3].v[0])})
	case "Concat":
		return concat(in, n.attr["axis"][0])
	}
	panic("unknown operator " + n.op)
}

// broadcast applies f to tensors whose shapes agree from the right but for 1s.
func broadcast(f func([]float64) float64, in ...*tensor) *tensor {
	rank := 0
	for _, t := range in {
		rank = max(rank, t.rank())
	}
	shape := make([]int, rank)
	for i := range shape {
		for _, t := range in {
			if k := i - rank + t.rank(); k >= 0 && t.shape[k] != 1 {
				if shape[i] > 1 && shape[i] != t.shape[k] {
					panic(fmt.Sprintf("shapes %v of %d tensors", t.shape, len(in)))
				}
				shape[i] = t.shape[k]
			}
		}
		if shape[i] == 0 {
			shape[i] = 1
		}
	}
	out := &tensor{shape: shape}
	args, index := make([]float64, len(in)), make([]int, rank)
	for range size(shape) {
		for a, t := range in {
			at := 0
			for k, s := range t.shape {
				if s > 1 {
					at = at*s + index[k+rank-t.rank()]
				}
			}
			args[a] = t.v[at]
		}
		out.v = append(out.v, f(args))
		for i := rank - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func matmul(a, b *tensor) *tensor {
	n, k, m := a.shape[0], a.shape[1], b.shape[1]
	if b.shape[0] != k {
		panic(fmt.Sprintf("MatMul of %v and %v", a.shape, b.shape))
	}
	t := &tensor{shape: []int{n, m}, v: make([]float64, n*m)}
	for i := range n {
		for j := range m {
			for l := range k {
				t.v[i*m+j] += a.v[i*k+l] * b.v[l*m+j]
			}
		}
	}
	return t
}

// around returns the numbers of elements before and after an axis.
func around(shape []int, axis int) (outer, inner int) {
	return size(shape[:axis]), size(shape[axis+1:])
}

func gather(a, idx *tensor, axes []int) *tensor {
	axis := 0
	if len(axes) > 0 {
		axis = axes[0]
	}
	outer, inner := around(a.shape, axis)
	t := &tensor{shape: slices.Concat(a.shape[:axis], idx.shape, a.shape[axis+1:])}
	for o := range outer {
		for _, i := range idx.v {
			at := (o*a.shape[axis] + int(i)) * inner
			if a.text != nil {
				t.text = append(t.text, a.text[at])
			} else {
				t.v = append(t.v, a.v[at:at+inner]...)
			}
		}
	}
	return t
}

func reduce(a *tensor, axis int, keep bool, f func(s, v float64, i int) float64) *tensor {
	outer, inner := around(a.shape, axis)
	t := &tensor{shape: slices.Clone(a.shape)}
	if t.shape[axis] = 1; !keep {
		t.shape = slices.Delete(t.shape, axis, axis+1)
	}
	for o := range outer {
		for l := range inner {
			s := 0.0
			for i := range a.shape[axis] {
				s = f(s, a.v[(o*a.shape[axis]+i)*inner+l], i)
			}
			t.v = append(t.v, s)
		}
	}
	return t
}

func concat(in []*tensor, axis int) *tensor {
	t := &tensor{shape: slices.Clone(in[0].shape)}
	t.shape[axis] = 0
	for _, a := range in {
		t.shape[axis] += a.shape[axis]
	}
	outer, inner := around(t.shape, axis)
	for o := range outer {
		for _, a := range in {
			width := a.shape[axis] * inner
			t.v = append(t.v, a.v[o*width:(o+1)*width]...)
		}
	}
	return t
}
