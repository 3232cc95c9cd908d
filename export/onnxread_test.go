package export_test

import (
	"encoding/binary"
	"fmt"
	"math"
)

// field is a field of a message of protocol buffers.
type field struct {
	number int
	value  uint64 // of a varint
	data   []byte // else
}

// fields takes a message apart.
func fields(m []byte) (all []field) {
	for len(m) > 0 {
		key, n := binary.Uvarint(m)
		m = m[n:]
		v, n := binary.Uvarint(m)
		f := field{number: int(key >> 3), value: v}
		m = m[n:]
		if key&7 == 2 {
			f.data, m = m[:v], m[v:]
		} else if key&7 != 0 {
			panic(fmt.Sprintf("wire type %d", key&7))
		}
		all = append(all, f)
	}
	return all
}

// tensor is an array; numbers of every type are float64 here.
type tensor struct {
	shape []int
	v     []float64
	text  []string
}

func (t *tensor) rank() int { return len(t.shape) }

// node is an operator of a graph.
type node struct {
	op, out string
	in      []string
	attr    map[string][]int
	floats  map[string][]float64
	texts   map[string][]string
	outs    []string
}

// onnxModel is what a file has.
type onnxModel struct {
	ir, opset int
	nodes     []node
	tensors   map[string]*tensor
	inputs    []string
	outputs   []string
}

func readONNX(data []byte) *onnxModel {
	m := &onnxModel{tensors: make(map[string]*tensor)}
	for _, f := range fields(data) {
		switch f.number {
		case 1:
			m.ir = int(f.value)
		case 8:
			for _, o := range fields(f.data) {
				if o.number == 2 {
					m.opset = int(o.value)
				}
			}
		case 7:
			for _, g := range fields(f.data) {
				m.graphField(g)
			}
		}
	}
	return m
}

func (m *onnxModel) graphField(g field) {
	switch g.number {
	case 1:
		m.nodes = append(m.nodes, readNode(g.data))
	case 5:
		name, t := readTensor(g.data)
		m.tensors[name] = t
	case 11:
		m.inputs = append(m.inputs, string(fields(g.data)[0].data))
	case 12:
		m.outputs = append(m.outputs, string(fields(g.data)[0].data))
	}
}

func readNode(data []byte) node {
	n := node{attr: make(map[string][]int), floats: make(map[string][]float64), texts: make(map[string][]string)}
	for _, f := range fields(data) {
		switch f.number {
		case 1:
			n.in = append(n.in, string(f.data))
		case 2:
			n.out = string(f.data)
			n.outs = append(n.outs, n.out)
		case 4:
			n.op = string(f.data)
		case 5:
			name := ""
			for _, a := range fields(f.data) {
				switch a.number {
				case 1:
					name = string(a.data)
				case 3, 8:
					n.attr[name] = append(n.attr[name], int(a.value))
				case 4, 9:
					n.texts[name] = append(n.texts[name], string(a.data))
				case 7:
					for raw := a.data; len(raw) > 0; raw = raw[4:] {
						n.floats[name] = append(n.floats[name], float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
					}
				}
			}
		}
	}
	return n
}

func readTensor(data []byte) (name string, t *tensor) {
	t = &tensor{}
	elem := 0
	var raw []byte
	for _, f := range fields(data) {
		switch f.number {
		case 1:
			t.shape = append(t.shape, int(f.value))
		case 2:
			elem = int(f.value)
		case 6:
			t.text = append(t.text, string(f.data))
		case 8:
			name = string(f.data)
		case 9:
			raw = f.data
		}
	}
	for ; len(raw) > 0; raw = raw[8:] {
		bits := binary.LittleEndian.Uint64(raw)
		if elem == 7 {
			t.v = append(t.v, float64(int64(bits)))
		} else {
			t.v = append(t.v, math.Float64frombits(bits))
		}
	}
	return name, t
}
