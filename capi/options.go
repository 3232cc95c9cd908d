package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// limits are the options of every long call.
type limits struct {
	Threads   int     `json:"threads"`
	Memory    int64   `json:"memory"`
	TimeLimit float64 `json:"time_limit"`
}

func (l *limits) check() error {
	if l.Threads < 0 || l.Memory < 0 || !(l.TimeLimit >= 0) {
		return argument("threads %d, memory %d, time_limit %v: want none below 0", l.Threads, l.Memory, l.TimeLimit)
	}
	return nil
}

// training is the options of skm_train.
type training struct {
	sparsekm.Request
	Brief   bool   `json:"brief"`
	Columns []int  `json:"columns"` // the number of features of each
	Table   uint64 `json:"table"`   // in their place: one of the caller's
	limits
}

// parse reads a JSON object of options into a struct; unknown options are an error.
func parse(text string, into any) error {
	d := json.NewDecoder(fileformat.Once(strings.NewReader(text), false))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = fmt.Errorf("more than one JSON object")
	}
	if err != nil {
		return argument("options: %w", err)
	}
	return nil
}

// options makes the options of a training.
func (t *training) options() (o sparsekm.Options, err error) {
	if err = t.check(); err != nil {
		return o, err
	}
	if o, err = t.Request.Options(); err != nil {
		return o, err
	}
	o.Threads, o.Memory = t.Threads, t.Memory
	switch {
	case o.CategoryValues > 0 && t.Columns == nil && t.Table == 0:
		return o, argument("options: categories: want columns too, the number of features of each, or a table")
	case (o.CategoryValues == 0 || t.Table > 0) && t.Columns != nil:
		return o, argument("options: columns: only learned categories without a table ask for them")
	}
	return o, nil
}
