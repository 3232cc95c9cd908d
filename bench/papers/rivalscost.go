package main

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rivalsTiming is the end of the program that runs every model over the test rows: the best of several times.
const rivalsTiming = `
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * t.tv_sec + t.tv_nsec;
}

int main(void)
{
	unsigned m;
	for (m = 0; m < sizeof models / sizeof *models; m++) {
		FILE *f = fopen(models[m].rows, "rb");
		long size, d, i;
		double best = 1e300, start = now(), from;
		float *x, *out = malloc(sizeof(float) * rows * models[m].outputs);
		fseek(f, 0, SEEK_END);
		size = ftell(f);
		rewind(f);
		x = malloc(size);
		d = size / sizeof(float) / rows;
		if (fread(x, 1, size, f) != (size_t)size)
			return 1;
		fclose(f);
		for (i = 0; i < 5 || (i < 50 && now() - start < 3e7); i++) {
			long r;
			from = now();
			for (r = 0; r < rows; r++)
				models[m].predict(x + r * d, out + r * models[m].outputs);
			from = now() - from;
			best = from < best ? from : best;
		}
		printf("%s %.1f\n", models[m].name, best / rows);
		f = fopen(models[m].got, "wb");
		fwrite(out, sizeof(float), rows * models[m].outputs, f);
		fclose(f);
	}
	return 0;
}
`

// measureC compiles the C of the models, and says how large and how fast it is. What it computes must be what the model
// does, but for rows at a threshold, of which rounding may move one in 25.
func measureC(ctx context.Context, folder string, runs []*rivalRun, rows int) error {
	sizes, err := sizesOfC(ctx, folder, runs)
	if err != nil {
		return err
	}
	var b strings.Builder
	includeC(&b, runs)
	b.WriteString("static const struct { const char *name, *rows, *got; int outputs;" +
		" void (*predict)(const float *, float *); } models[] = {\n")
	for _, r := range runs {
		from := r.Name
		if !r.own {
			from = map[bool]string{true: "codes", false: "hot"}[r.Codes]
		}
		fmt.Fprintf(&b, "\t{ %q, %q, %q, %d, %s },\n", r.Name, filepath.Join(folder, from+".rows"),
			filepath.Join(folder, r.Name+".got"), r.Outputs, r.Name)
	}
	fmt.Fprintf(&b, "};\nstatic const long rows = %d;\n%s", rows, rivalsTiming)
	program := filepath.Join(folder, "timing")
	if err = os.WriteFile(program+".c", []byte(b.String()), 0o666); err != nil {
		return err
	}
	if err = gcc(ctx, "-O2", "-o", program, program+".c", "-lm"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, program).Output()
	if err != nil {
		return fmt.Errorf("timing: %w", err)
	}
	times := make(map[string]float64)
	for line := range strings.Lines(string(out)) {
		var name string
		var ns float64
		if _, err = fmt.Sscan(line, &name, &ns); err != nil {
			return err
		}
		times[name] = ns
	}
	for _, r := range runs {
		if r.Bytes, r.Nanos = sizes[r.Name], times[r.Name]; r.Limit > 0 && r.Bytes > r.Limit {
			return fmt.Errorf("%s: %d bytes, want at most %d", r.Name, r.Bytes, r.Limit)
		}
		if err = r.sameOutputs(folder, rows); err != nil {
			return err
		}
	}
	return nil
}

// sameOutputs compares what the C computed with what the model did.
func (r *rivalRun) sameOutputs(folder string, rows int) error {
	var read [2][]float32
	for i, suffix := range []string{".got", ".out"} {
		text, err := os.ReadFile(filepath.Join(folder, r.Name+suffix))
		if err != nil {
			return err
		}
		read[i] = make([]float32, len(text)/4)
		if _, err = binary.Decode(text, binary.LittleEndian, read[i]); err != nil {
			return err
		}
	}
	if len(read[0]) != rows*r.Outputs || len(read[1]) != len(read[0]) {
		return fmt.Errorf("%s: %d and %d outputs for %d rows", r.Name, len(read[0]), len(read[1]), rows)
	}
	other := 0
	for i := range rows {
		same := true
		for k := range r.Outputs {
			a, b := float64(read[0][i*r.Outputs+k]), float64(read[1][i*r.Outputs+k])
			same = same && math.Abs(a-b) <= 1e-3*(1+math.Abs(b))+4e-6*r.Sum
		}
		if !same {
			other++
		}
	}
	if other > 2+rows/25 {
		return fmt.Errorf("%s: C and the model differ on %d of %d rows", r.Name, other, rows)
	}
	return nil
}

func includeC(b *strings.Builder, runs []*rivalRun) {
	b.WriteString("#include <math.h>\n")
	for _, r := range runs {
		fmt.Fprintf(b, "#include %q\n", r.Name+".h")
	}
}

// sizesOfC are the bytes of each model's functions and tables, compiled for size. A section's name has that of what is
// in it, which begins with the model's.
func sizesOfC(ctx context.Context, folder string, runs []*rivalRun) (map[string]int, error) {
	var b strings.Builder
	includeC(&b, runs)
	for _, r := range runs {
		fmt.Fprintf(&b, "void %s_use(const float *x, float *out) { %s(x, out); }\n", r.Name, r.Name)
	}
	source, object := filepath.Join(folder, "sizes.c"), filepath.Join(folder, "sizes.o")
	if err := os.WriteFile(source, []byte(b.String()), 0o666); err != nil {
		return nil, err
	}
	// Equal models stay apart: one is not made a call of the other.
	err := gcc(ctx, "-Os", "-fno-ipa-icf", "-ffunction-sections", "-fdata-sections", "-c", "-o", object, source)
	if err != nil {
		return nil, err
	}
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sizes := make(map[string]int)
	for _, s := range f.Sections {
		for _, kind := range []string{".text.", ".rodata.", ".data.", ".data.rel.ro.local."} {
			if of, ok := strings.CutPrefix(s.Name, kind); ok {
				name, _, _ := strings.Cut(of, "_")
				sizes[strings.SplitN(name, ".", 2)[0]] += int(s.Size)
			}
		}
	}
	return sizes, nil
}

func gcc(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "gcc", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w: %s", err, out)
	}
	return nil
}
