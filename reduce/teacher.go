package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// setTeacher checks the teacher's scores and, for classes, scales them to a mean size of 1.
func (v *mover) setTeacher() error {
	t := v.opt.Teacher
	if t == nil {
		return nil
	}
	switch {
	case v.data == nil:
		return errors.New("reduce: a teacher's decisions without their samples")
	case v.pool.m != 1:
		return fmt.Errorf("reduce: a teacher of two classes for a model of %d submodels, want one", v.pool.m)
	case len(t) != v.data.n:
		return fmt.Errorf("reduce: %d decisions of the teacher for %d samples", len(t), v.data.n)
	}
	var size float64
	for i, f := range t {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("reduce: the teacher's decision on sample %d is %v, want a finite number", i, f)
		}
		size += math.Abs(f) / float64(len(t))
	}
	if v.values {
		v.teacher = t
		return nil
	}
	if !(size > 0) || math.IsInf(size, 1) {
		return fmt.Errorf("reduce: the teacher's decisions have a mean size of %v, want a finite number > 0", size)
	}
	v.teacher = make([]float64, len(t))
	for i, f := range t {
		v.teacher[i] = f / size
	}
	return nil
}

// taught returns the teacher's classes of the data's samples.
func (v *mover) taught() []int {
	m := &v.pool.parts.Submodels[0]
	y := make([]int, len(v.teacher))
	for i, f := range v.teacher {
		if y[i] = m.Neg; f > 0 {
			y[i] = m.Pos
		}
	}
	return y
}

// examine compares the result with the teacher.
func (v *mover) examine(ctx context.Context) error {
	if v.values {
		f, err := v.data.predicted(ctx, v.result.Classifier, v.opt.Threads)
		if err != nil {
			return err
		}
		agreement := kept(squares(f, v.teacher), spread(v.teacher))
		v.result.TeacherAgreement = &agreement
		return nil
	}
	y, err := v.data.classes(ctx, v.result.Classifier, v.opt.Threads)
	if err != nil {
		return err
	}
	same := 0
	for i, c := range v.taught() {
		if y[i] == c {
			same++
		}
	}
	agreement := float64(same) / float64(len(y))
	v.result.TeacherAgreement = &agreement
	return nil
}
