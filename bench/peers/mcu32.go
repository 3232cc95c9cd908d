package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	compare("mcu32", "instructions, bytes and bits of a decision on Cortex-M0, M4F and RV32IMAC (gcc, qemu)", runMCU32)
}

// mcuModels are those of the table: vectors, several classes, and steps with vectors, with a plane, and that turn.
var mcuModels = []struct {
	set     string // a name of mcuSets
	trainer learn.Trainer
}{
	{"ripley.train", ssvc.A{C: 1}},
	{"iris", ssvc.A{C: 1}},
	{"diabetis", direct.Trainer{C: 1, MaxSV: 8, Units: "mixed"}},
	{"iris", direct.Trainer{C: 1, MaxSV: 6, Units: "steps"}},
	{"ionosphere", direct.Trainer{C: 1, MaxSV: 4, Units: "directions"}},
}

// mcuRows are the rows of a set that a chip decides about: its flash holds them.
const mcuRows = 50

// chip is a processor, its compiler and its emulator.
type chip struct {
	name, cc, size string
	flags          []string // of the compiler
	hosted         []string // what programs that print need
	emulator       []string // nil for this computer
	loop           float64  // instructions of the known loop; 0 where none are counted
	debian         string   // packages
}

// memory says where a linker's script of picolibc puts things.
func memory(flash, ram string) string {
	return "-Wl,--gc-sections,--defsym=__flash=" + flash + ",--defsym=__flash_size=0x40000,--defsym=__ram=" + ram +
		",--defsym=__ram_size=0x4000,--defsym=__stack_size=0x800"
}

var (
	semihosted = []string{"--oslib=semihost", "--crt0=hosted"}
	hostChip   = chip{name: "this computer", cc: "gcc", size: "size"}
	chips      = []chip{
		cortex("Cortex-M0", "microbit", "-mcpu=cortex-m0"),
		cortex("Cortex-M4F", "mps2-an386", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
		{name: "RV32IMAC", cc: "riscv64-unknown-elf-gcc", size: "riscv64-unknown-elf-size", hosted: semihosted, loop: 200000,
			flags: []string{"--specs=picolibc.specs", "-march=rv32imac", "-mabi=ilp32", "-ffunction-sections", "-fdata-sections",
				memory("0x80000000", "0x80100000")},
			emulator: qemu("qemu-system-riscv32", "virt", "-bios", "none"),
			debian:   "gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf, qemu-system-misc"},
		{name: "ATmega328p", cc: "avr-gcc", size: "avr-size", flags: []string{"-mmcu=atmega328p"},
			emulator: []string{"simavr", "-m", "atmega328p", "-f", "16000000"}, debian: "gcc-avr, avr-libc, binutils-avr, simavr"},
	}
)

func cortex(name, board string, flags ...string) chip {
	return chip{name: name, cc: "arm-none-eabi-gcc", size: "arm-none-eabi-size", hosted: semihosted, loop: 200000,
		flags: append([]string{"--specs=picolibc.specs", "-mthumb", "-ffunction-sections", "-fdata-sections",
			memory("0", "0x20000000")}, flags...),
		emulator: qemu("qemu-system-arm", board),
		debian:   "gcc-arm-none-eabi, picolibc-arm-none-eabi, qemu-system-arm"}
}

// qemu is a command that takes a nanosecond of its clock for every instruction, and a program as its next argument.
func qemu(program, board string, more ...string) []string {
	return append(append([]string{program, "-M", board}, more...), "-icount", "shift=0", "-nographic", "-monitor", "none",
		"-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel")
}

// missing says which packages the chip lacks here; nil for none.
func (c *chip) missing() error {
	programs := []string{c.cc, c.size}
	if c.emulator != nil {
		programs = append(programs, c.emulator[0])
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s: %w (Debian: %s)", c.name, err, c.debian)
		}
	}
	return nil
}

// mcuForm is a program of a model, and what chooses it in mcu32.c.
type mcuForm struct {
	name, flag string
	o          export.Options
}

var mcuForms32 = []mcuForm{
	{"float", "-DFLOAT", export.Options{Name: "m", Float: true}},
	{"fixed", "-DFIXED=1", export.Options{Name: "m", Fixed: true}},
	{"integers", "-DFIXED=2", export.Options{Name: "m", Fixed: true}},
}

func runMCU32(ctx context.Context, e *env) error {
	var table [][]string
	for i := range mcuModels {
		m, err := e.trainMCU(ctx, i, "testdata")
		if err != nil {
			return err
		}
		for j := range chips {
			c := &chips[j]
			if err = c.missing(); err != nil {
				fmt.Println(err)
				continue
			}
			d, err := e.compareChip(m, c)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", m.name, c.name, err)
			}
			table = append(table, append([]string{m.name, strconv.Itoa(m.c.NumUnits())}, d.cells(c)...))
		}
	}
	harness.Table([]string{"model", "units", "processor", "bytes: float, fixed, integers alone",
		"instructions: float, fixed, integers alone", "from this computer: float, fixed"}, table)
	return nil
}

// mcuModel is a model and the rows that it decides about.
type mcuModel struct {
	name string
	c    *model.Classifier
	x    []float64
}

// trainMCU trains model i on its set of a folder.
func (e *env) trainMCU(ctx context.Context, i int, folder string) (*mcuModel, error) {
	s := &mcuModels[i]
	set, err := dataset.ReadFile(filepath.Join(folder, s.set+".libsvm"), dataset.Options{})
	if err != nil {
		return nil, err
	}
	index := slices.IndexFunc(mcuSets, func(m mcuSet) bool { return m.name == s.set })
	c, err := mcuSets[index].train(ctx, set, s.trainer)
	if err != nil {
		return nil, err
	}
	m := &mcuModel{name: s.set + ", " + mcuName(s.trainer), c: c}
	for r := range mcuRows {
		m.x = append(m.x, set.X[r*set.N/mcuRows*set.D:][:set.D]...)
	}
	return m, nil
}

// mcuName is a method, and what its models add up.
func mcuName(t learn.Trainer) string {
	if d, ok := t.(direct.Trainer); ok {
		return d.Name() + ", " + d.Units
	}
	return t.Name()
}

// onChip is what a chip takes for the forms of a model, and how far it is from this computer.
type onChip struct {
	sizes, counts []string
	off           float64 // the largest difference of decisions in floating point, of themselves where larger than 1
	bits, others  int     // other decisions in fixed point, and classes
}

// compareChip runs all forms of a model.
func (e *env) compareChip(m *mcuModel, c *chip) (*onChip, error) {
	d := &onChip{}
	for _, form := range mcuForms32 {
		if c.loop == 0 && form.flag == "-DFIXED=2" {
			break // its rows are not in flash
		}
		want, err := e.decideOn(m, &hostChip, form)
		if err != nil {
			return nil, err
		}
		got, err := e.decideOn(m, c, form)
		if err != nil {
			return nil, err
		}
		for i, v := range got.bits {
			switch {
			case form.o.Fixed && v != want.bits[i]:
				d.bits++
			case !form.o.Fixed:
				a, b := float64(math.Float32frombits(v)), float64(math.Float32frombits(want.bits[i]))
				d.off = max(d.off, math.Abs(a-b)/max(1, math.Abs(b)))
			}
		}
		for r, k := range got.class {
			if k != want.class[r] {
				d.others++
			}
		}
		size, err := e.sizeOn(m, c, form)
		if err != nil {
			return nil, err
		}
		d.sizes = append(d.sizes, strconv.Itoa(size))
		d.counts = append(d.counts, got.count(c))
	}
	return d, nil
}

// cells are those of the table.
func (d *onChip) cells(c *chip) []string {
	agreement := fmt.Sprintf("%.1g, equal", d.off)
	if d.bits > 0 || d.others > 0 {
		agreement = fmt.Sprintf("%.1g, %d other decisions, %d other classes", d.off, d.bits, d.others)
	}
	return []string{c.name, strings.Join(d.sizes, ", "), strings.Join(d.counts, ", "), agreement}
}

// decided is what mcu32.c prints.
type decided struct {
	ticks, unit float64
	class       []uint32
	bits        []uint32 // of decisions
}

// count is the number of instructions of a decision.
func (d *decided) count(c *chip) string {
	if c.loop == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", d.ticks/d.unit*c.loop/mcuRows)
}

// buildMCU writes the header of a form, the rows and the program, and compiles it for a chip.
func (e *env) buildMCU(m *mcuModel, c *chip, form mcuForm, flags ...string) (string, error) {
	src, err := e.source("mcu32.c")
	if err != nil {
		return "", err
	}
	var header, rows bytes.Buffer
	if err = export.Write(&header, m.c, "c", form.o); err != nil {
		return "", err
	}
	d := m.c.NumFeatures()
	fmt.Fprintf(&rows, "enum { ROWS = %d };\nstatic const float given[ROWS][%d] SPARSEKM_TABLE = {\n", mcuRows, d)
	for r := range mcuRows {
		rows.WriteString("\t{")
		for _, v := range m.x[r*d : (r+1)*d] {
			fmt.Fprintf(&rows, "(float)%v, ", float32(v))
		}
		rows.WriteString("},\n")
	}
	rows.WriteString("};\n")
	for name, text := range map[string][]byte{"mcu32.h": header.Bytes(), "rows.h": rows.Bytes()} {
		if err = os.WriteFile(filepath.Join(e.Tmp, name), text, 0o600); err != nil {
			return "", err
		}
	}
	elf := filepath.Join(e.Tmp, "mcu32.elf")
	args := append([]string{"-Os", "-std=c99", "-DHEADER=\"mcu32.h\"", "-I" + e.Tmp, form.flag, "-o", elf}, c.flags...)
	args = append(append(args, flags...), src, "-lm")
	if out, failed := exec.Command(c.cc, args...).CombinedOutput(); failed != nil {
		return "", fmt.Errorf("%s: %w: %s", c.cc, failed, out)
	}
	return elf, nil
}

var (
	colours   = regexp.MustCompile(`\x1b\[\d*m|[\r\n]`) // simavr breaks lines anywhere
	decisions = regexp.MustCompile(`(\d[\d ]*) END`)
)

// decideOn runs a model on a chip, or on this computer.
func (e *env) decideOn(m *mcuModel, c *chip, form mcuForm) (*decided, error) {
	elf, err := e.buildMCU(m, c, form, c.hosted...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := append(append([]string{}, c.emulator...), elf)
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	found := decisions.FindSubmatch(colours.ReplaceAll(out, nil))
	if found == nil {
		return nil, errors.Join(err, fmt.Errorf("%s printed %q", command[0], out))
	}
	cells := strings.Fields(string(found[1]))
	outputs := m.c.NumSubmodels()
	if len(cells) != 2+mcuRows*(1+outputs) {
		return nil, fmt.Errorf("%s printed %d numbers, want %d rows of %d", command[0], len(cells), mcuRows, 1+outputs)
	}
	got := &decided{}
	for i, cell := range cells {
		v, err := strconv.ParseUint(cell, 10, 32)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			got.ticks = float64(v)
		case i == 1:
			got.unit = float64(v)
		case (i-2)%(1+outputs) == 0:
			got.class = append(got.class, uint32(v))
		default:
			got.bits = append(got.bits, uint32(v))
		}
	}
	return got, nil
}

// sizeOn is the bytes of a whole program that only decides: code, tables and initial values, with the library's exp.
func (e *env) sizeOn(m *mcuModel, c *chip, form mcuForm) (int, error) {
	start := []string{"-DSIZE"}
	if c.hosted != nil {
		start = append(start, "--crt0=minimal")
	}
	elf, err := e.buildMCU(m, c, form, start...)
	if err != nil {
		return 0, err
	}
	out, err := exec.Command(c.size, elf).Output()
	if err != nil {
		return 0, err
	}
	var text, initialised int
	_, numbers, _ := strings.Cut(string(out), "\n")
	if _, err = fmt.Sscan(numbers, &text, &initialised); err != nil {
		return 0, fmt.Errorf("%s: %w", c.size, err)
	}
	return text + initialised, nil
}
