package export

import (
	"encoding/binary"
	"fmt"
	"math"
)

// message is a message of protocol buffers under construction, in their wire format: each field is its number
// and kind as a varint, then a varint or a length and so many bytes.
type message []byte

func (m message) int(field, v int) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), uint64(v))
}

func (m message) bytes(field int, b []byte) message {
	m = binary.AppendUvarint(m, uint64(field)<<3|2)
	return append(binary.AppendUvarint(m, uint64(len(b))), b...)
}

func (m message) text(field int, s string) message { return m.bytes(field, []byte(s)) }

// The element types of a tensor, and the kinds of an attribute, by ONNX's numbers.
const (
	elemFloat32 = 1
	elemInt64   = 7
	elemString  = 8
	elemBool    = 9
	elemFloat64 = 11

	attributeInt     = 2
	attributeString  = 3
	attributeFloats  = 6
	attributeInts    = 7
	attributeStrings = 8
)

// graph is an ONNX graph under construction: nodes and constant tensors.
type graph struct {
	nodes, tensors message
	named          int   // names given
	err            error // of a number that an attribute cannot hold
}

func (g *graph) name() string {
	g.named++
	return fmt.Sprintf("t%d", g.named)
}

// op adds a node, with its attributes as names, each before its value, and returns its output.
func (g *graph) op(kind string, in []string, attributes ...any) string {
	out := g.name()
	g.opTo(out, kind, in, attributes...)
	return out
}

func (g *graph) opTo(out, kind string, in []string, attributes ...any) {
	g.node("", kind, in, []string{out}, attributes...)
}

// node adds an operator of a domain. Attributes are int, []int, string, []string or, in single precision, []float64.
func (g *graph) node(domain, kind string, in, out []string, attributes ...any) {
	var n message // NodeProto
	for _, s := range in {
		n = n.text(1, s)
	}
	for _, s := range out {
		n = n.text(2, s)
	}
	n = n.text(4, kind)
	for i := 0; i < len(attributes); i += 2 {
		a := message{}.text(1, attributes[i].(string)) // AttributeProto
		switch v := attributes[i+1].(type) {
		case int:
			a = a.int(3, v).int(20, attributeInt)
		case []int:
			for _, e := range v {
				a = a.int(8, e)
			}
			a = a.int(20, attributeInts)
		case string:
			a = a.text(4, v).int(20, attributeString)
		case []string:
			for _, e := range v {
				a = a.text(9, e)
			}
			a = a.int(20, attributeStrings)
		case []float64:
			a = a.bytes(7, g.singles(v)).int(20, attributeFloats)
		}
		n = n.bytes(5, a)
	}
	if domain != "" {
		n = n.text(7, domain)
	}
	g.nodes = g.nodes.bytes(1, n)
}

// tensor adds a constant of the given shape and returns its name.
func (g *graph) tensor(elem int, raw []byte, shape []int) string {
	name := g.name()
	var t message // TensorProto
	for _, d := range shape {
		t = t.int(1, d)
	}
	g.tensors = g.tensors.bytes(5, t.int(2, elem).text(8, name).bytes(9, raw))
	return name
}

func (g *graph) reals(v []float64, shape ...int) string {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	return g.tensor(elemFloat64, raw, shape)
}

// real adds a number.
func (g *graph) real(v float64) string { return g.reals([]float64{v}) }

func (g *graph) ints(v ...int) string {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(x)))
	}
	return g.tensor(elemInt64, raw, []int{len(v)})
}

// strings adds a list of texts, which have no raw form.
func (g *graph) strings(v []string) string {
	name := g.name()
	t := message{}.int(1, len(v)).int(2, elemString)
	for _, s := range v {
		t = t.text(6, s)
	}
	g.tensors = g.tensors.bytes(5, t.text(8, name))
	return name
}

// described is an input or output of a graph: a tensor of rows, as many as the caller has.
func described(name string, elem int, rows string, columns ...int) message {
	shape := message{}.bytes(1, message{}.text(2, rows))
	for _, c := range columns {
		shape = shape.bytes(1, message{}.int(1, c))
	}
	tensor := message{}.int(1, elem).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, tensor))
}
