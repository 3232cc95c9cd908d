package fileformat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readHeader reads the part of the file before the elements.
func readHeader(r io.Reader) (*header, error) {
	start := make([]byte, len(NumPyMagic)+2)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(NumPyMagic)]) != NumPyMagic {
		return nil, fmt.Errorf("found no NumPy array")
	}
	length := make([]byte, 2)
	switch major := start[len(NumPyMagic)]; major {
	case 1:
	case 2, 3:
		length = make([]byte, 4)
	default:
		return nil, fmt.Errorf("found version %d, want 1 to 3", major)
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, errors.New("the file ends within its header")
	}
	n := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if n > maxHeader {
		return nil, fmt.Errorf("found a header of %d bytes, want at most %d", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errors.New("the file ends within its header")
	}
	return parseHeader(string(text))
}

// literal parses the header as NumPy writes it: keys in alphabetical order, no comments.
func literal(text string) (descr, fortran, shape string, ok bool) {
	text, begins := strings.CutPrefix(text, "{'descr': '")
	descr, text, described := strings.Cut(text, "', 'fortran_order': ")
	fortran, text, ordered := strings.Cut(text, ", 'shape': (")
	shape, text, shaped := strings.Cut(text, ")")
	ok = begins && described && ordered && shaped && strings.TrimSpace(text) == ", }" && !strings.Contains(descr, "'") &&
		(fortran == "True" || fortran == "False") && strings.Trim(shape, "0123456789, ") == ""
	return descr, fortran, shape, ok
}

func parseHeader(text string) (*header, error) {
	descr, fortran, shape, ok := literal(text)
	if !ok {
		return nil, fmt.Errorf("found the header %q, want descr (of plain elements), fortran_order and shape", cut(text))
	}
	h := &header{fortran: fortran == "True", order: binary.LittleEndian}
	if err := h.elements(descr); err != nil {
		return nil, err
	}
	for _, side := range strings.Split(shape, ",") {
		if side = strings.TrimSpace(side); side == "" {
			continue
		}
		n, err := strconv.ParseInt(side, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("found the shape (%s), want sides below 2³¹", cut(shape))
		}
		h.shape = append(h.shape, int(n))
	}
	return h, nil
}

// elements parses the type of the elements: byte order, kind, and size in bytes or characters.
func (h *header) elements(descr string) error {
	if len(descr) < 3 || len(descr) > 9 || !strings.Contains("<>|=", descr[:1]) ||
		!strings.Contains("fiubUS", descr[1:2]) {
		return fmt.Errorf("found elements of type %q, want numbers, truth values or texts", cut(descr))
	}
	if descr[0] == '>' {
		h.order = binary.BigEndian
	}
	size, err := strconv.ParseUint(descr[2:], 10, 31)
	h.kind, h.size = descr[1], int(size)
	sizes := map[byte][]int{'f': {4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1}}
	if s := sizes[h.kind]; err != nil || s != nil && !slices.Contains(s, h.size) {
		return fmt.Errorf("found elements of type %q, want %q of one of %v bytes", cut(descr), descr[:2], s)
	}
	if h.kind == 'U' {
		h.size *= 4
	}
	return nil
}

// cut shortens a text for an error message.
func cut(s string) string { return s[:min(len(s), 80)] }
