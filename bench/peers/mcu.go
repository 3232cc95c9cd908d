package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	compare("mcu", "flash and cycles of a decision on an ATmega328p (gcc-avr, simavr), against m2cgen", runMCU)
}

// mcuSet is data, with the kernel's γ and the scaling.
type mcuSet struct {
	name  string
	gamma float64
	scale dataset.ScaleKind
}

var mcuSets = []mcuSet{
	{"ripley.train", 2, dataset.ScaleNone},
	{"iris", 0.25, dataset.ScaleZ},
	{"diabetis", 0.125, dataset.ScaleZ},
	{"ionosphere", 1.0 / 34, dataset.ScaleZ},
}

func (s *mcuSet) train(ctx context.Context, set *dataset.Set, trainer learn.Trainer) (*model.Classifier, error) {
	c, _, err := sparsekm.Train(ctx, set, sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(s.gamma), Scale: s.scale})
	return c, err
}

// mcuForms are the programs of a model, and what chooses them in mcu.c.
var mcuForms = []struct{ name, flag string }{
	{"", ""}, {", fixed point", "-DFIXED=1"}, {", fixed point of integers", "-DFIXED=2"},
}

func runMCU(ctx context.Context, e *env) error {
	for _, program := range []string{"avr-gcc", "avr-size", "simavr"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w (Debian: gcc-avr, avr-libc, binutils-avr, simavr)", err)
		}
	}
	var table [][]string
	for _, s := range mcuSets {
		data := filepath.Join("testdata", s.name+".libsvm")
		set, err := dataset.ReadFile(data, dataset.Options{})
		if err != nil {
			return err
		}
		trainers := []learn.Trainer{ssvc.A{C: 1}, svc.Trainer{C: 1}}
		for _, m := range mcuModels {
			if d, ok := m.trainer.(direct.Trainer); ok && m.set == s.name {
				trainers = append(trainers, d)
			}
		}
		for _, trainer := range trainers {
			c, err := s.train(ctx, set, trainer)
			if err != nil {
				return err
			}
			for _, as := range mcuForms {
				var header bytes.Buffer
				if err = export.Write(&header, c, "c", export.Options{Name: "m", Float: as.flag == "", Fixed: as.flag != ""}); err != nil {
					return err
				}
				row, err := e.mcuRow(header.Bytes(), set.D, as.flag)
				if err != nil {
					return err
				}
				name := mcuName(trainer) + as.name
				table = append(table, append([]string{s.name, name, strconv.Itoa(c.NumUnits())}, row...))
			}
		}
		if row := e.mcuPeer(data, s.gamma, s.scale, set.D); row != nil {
			table = append(table, append([]string{s.name, "scikit-learn's SVC by m2cgen"}, row...))
		}
	}
	harness.Table([]string{"set", "model", "units", "flash, bytes", "RAM, bytes", "cycles", "ms at 16 MHz"}, table)
	return nil
}

// mcuPeer is the row of m2cgen, nil where it cannot be had.
func (e *env) mcuPeer(data string, gamma float64, scale dataset.ScaleKind, d int) []string {
	kind := "none"
	if scale == dataset.ScaleZ {
		kind = "zscore"
	}
	out := filepath.Join(e.Tmp, "m2cgen.c")
	for _, py := range pythons() {
		text, err := e.python(py, "mcu", nil, data, strconv.FormatFloat(gamma, 'g', -1, 64), kind, out)
		if err != nil {
			fmt.Println("no m2cgen:", err)
			continue
		}
		var vectors, classes int
		if _, err = fmt.Sscan(text, &vectors, &classes); err != nil {
			fmt.Println("m2cgen:", err)
			return nil
		}
		code, err := os.ReadFile(out)
		if err != nil {
			fmt.Println("m2cgen:", err)
			return nil
		}
		row, err := e.mcuRow(code, d, fmt.Sprint("-DCLASSES=", classes))
		if err != nil {
			row = []string{"does not fit", "", "", ""}
		}
		return append([]string{strconv.Itoa(vectors)}, row...)
	}
	return nil
}

// mcuRow compiles a header for the processor, in a loop for its size and with a timer for the cycles of a call.
func (e *env) mcuRow(header []byte, d int, flag string) ([]string, error) {
	src, err := e.source("mcu.c")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(e.Tmp, "mcu.h")
	if err = os.WriteFile(file, header, 0o600); err != nil {
		return nil, err
	}
	build := func(name string, extra ...string) (string, error) {
		elf := filepath.Join(e.Tmp, name)
		args := append([]string{"-Os", "-std=gnu99", "-mmcu=atmega328p", "-DFEATURES=" + strconv.Itoa(d), "-DHEADER=\"" + file + "\"",
			"-o", elf, src, "-lm"}, extra...)
		if flag != "" {
			args = append(args, flag)
		}
		if out, failed := exec.Command("avr-gcc", args...).CombinedOutput(); failed != nil {
			return "", fmt.Errorf("avr-gcc: %w: %s", failed, firstLine(out))
		}
		return elf, nil
	}
	elf, err := build("size.elf")
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("avr-size", elf).Output()
	if err != nil {
		return nil, err
	}
	var text, initialised, zero int
	_, numbers, _ := strings.Cut(string(out), "\n")
	if _, err = fmt.Sscan(numbers, &text, &initialised, &zero); err != nil {
		return nil, fmt.Errorf("avr-size: %w", err)
	}
	if text+initialised > 32<<10 {
		return nil, fmt.Errorf("%d bytes of flash", text+initialised)
	}
	if elf, err = build("cycles.elf", "-DCYCLES"); err != nil {
		return nil, err
	}
	cycles, err := simulate(elf)
	if err != nil {
		return nil, err
	}
	return []string{strconv.Itoa(text + initialised), strconv.Itoa(initialised + zero), strconv.Itoa(cycles),
		fmt.Sprintf("%.2f", float64(cycles)/16000)}, nil
}

var printed = regexp.MustCompile(`(\d+)\.`) // simavr writes a dot for a line's end

// simulate runs a program in simavr and returns the number that it prints.
func simulate(elf string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "simavr", "-m", "atmega328p", "-f", "16000000", elf).CombinedOutput()
	if found := printed.FindSubmatch(out); found != nil {
		return strconv.Atoi(string(found[1]))
	}
	return 0, fmt.Errorf("simavr: %w: %q", err, out)
}
