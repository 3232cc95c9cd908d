package fileformat

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Once returns a reader of the same JSON, which fails where an object has a key for the second time: encoding/json
// takes the last one. It also takes keys for each other that differ in the case of letters only; with fold they count
// as one. What is no JSON is for the reader of it to find.
func Once(r io.Reader, fold bool) io.Reader { return &once{r: r, fold: fold} }

type once struct {
	r             io.Reader
	fold          bool
	open          []level
	name          []byte // the string that is read, if a key may stand there
	text, escaped bool   // within a string; after a backslash
	key           bool   // a key comes next
	keys          int    // of all objects that are open
}

// level is an array, or an object with its keys.
type level struct {
	object bool
	keys   map[string]bool
}

func (o *once) Read(to []byte) (int, error) {
	n, err := o.r.Read(to)
	for _, b := range to[:n] {
		if failed := o.take(b); failed != nil {
			return 0, failed
		}
	}
	return n, err
}

func (o *once) take(b byte) error {
	const long = 1 << 10 // no reader knows so long a key
	if o.text {
		ended := b == '"' && !o.escaped
		o.escaped = b == '\\' && !o.escaped
		switch {
		case ended:
			o.text = false
			return o.add()
		case o.key && len(o.name) < long:
			o.name = append(o.name, b)
		}
		return nil
	}
	switch b {
	case '"':
		o.text, o.name = true, o.name[:0]
	case '{', '[':
		o.open = append(o.open, level{object: b == '{'})
		o.key = b == '{'
	case '}', ']':
		if last := len(o.open) - 1; last >= 0 {
			o.keys -= len(o.open[last].keys)
			o.open = o.open[:last]
		}
		o.key = false
	case ':':
		o.key = false
	case ',':
		o.key = len(o.open) > 0 && o.open[len(o.open)-1].object
	}
	return nil
}

// add takes in the key that ends, if it is one.
func (o *once) add() error {
	const most = 1 << 16 // of a hostile text, whose keys would take more memory than what is made of it
	if !o.key || o.keys >= most {
		return nil
	}
	o.key = false
	name := string(o.name)
	if strings.Contains(name, `\`) && json.Unmarshal([]byte(`"`+name+`"`), &name) != nil {
		return nil
	}
	folded := name
	if o.fold {
		folded = strings.ToLower(strings.ToUpper(name))
	}
	in := &o.open[len(o.open)-1]
	if in.keys[folded] {
		return fmt.Errorf("found the key %q twice in an object, want it once", name)
	}
	if in.keys == nil {
		in.keys = make(map[string]bool)
	}
	in.keys[folded] = true
	o.keys++
	return nil
}
