package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	experiments["ripley"] = harness.Task{About: "Huang et al. (2010), section 4.1: what is kept of Ripley's points",
		Run: ripley}
}

// The picture of the first page: two panels of one square each, in pixels.
const (
	panel  = 380
	margin = 10
	title  = 26
	cells  = 76 // of the grid on which the boundary is followed, a side
)

// ink is the colours of one picture; the page's own background shows through.
type ink struct{ text, negative, positive, kept, line string }

var inks = map[string]ink{
	"ripley.svg":      {"#1f2328", "#8c6bb1", "#3b8686", "#d1242f", "#57606a"},
	"ripley-dark.svg": {"#e6edf3", "#b79adb", "#63c5c5", "#ff7b72", "#9198a1"},
}

// ripley trains the ordinary SVM and the sparse one, and draws what each keeps.
func ripley(ctx context.Context, e *harness.Env) error {
	read := func(file string) (*dataset.Set, error) {
		return dataset.ReadFile(filepath.Join("testdata", file), dataset.Options{})
	}
	points, err := read("ripley.train.libsvm")
	if err != nil {
		return fmt.Errorf("run this in the module's folder: %w", err)
	}
	test, err := read("ripley.test.libsvm")
	if err != nil {
		return err
	}
	machines, err := ripleyMachines(ctx, points)
	if err != nil {
		return err
	}
	harness.Header("method", "vectors", "test error (%)")
	for _, clf := range machines {
		predicted, wrong := make([]int, test.N), 0
		clf.PredictBatch(predicted, test.X, test.N, 1)
		for i, class := range test.Y {
			if predicted[i] != class {
				wrong++
			}
		}
		harness.Row(clf.Method(), fmt.Sprint(clf.NumVectors()), fmt.Sprintf("%.1f", 100*float64(wrong)/float64(test.N)))
	}
	if e.Out == "" {
		return nil
	}
	for file, colours := range inks {
		if err = os.WriteFile(filepath.Join(e.Out, file), ripleyPicture(points, machines, colours), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// ripleyMachines are the panels from left to right.
func ripleyMachines(ctx context.Context, points *dataset.Set) ([]*sparsekm.Classifier, error) {
	var machines []*sparsekm.Classifier
	for _, t := range []learn.Trainer{svc.Trainer{C: 1}, ssvc.A{C: 1}} {
		clf, _, err := sparsekm.Train(ctx, points, sparsekm.Options{Trainer: t, Kernel: gram.RBFSigma(0.5)})
		if err != nil {
			return nil, err
		}
		machines = append(machines, clf)
	}
	return machines, nil
}

// frame takes a rectangle of features to one panel.
type frame struct{ left, x0, y0, width, height float64 }

func (f *frame) at(x, y float64) (float64, float64) {
	return f.left + (x-f.x0)/f.width*panel, title + panel - (y-f.y0)/f.height*panel
}

// ripleyPicture is an SVG of one panel a machine: the points, circles about the kept ones, and the boundary.
func ripleyPicture(points *dataset.Set, machines []*sparsekm.Classifier, c ink) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" `+
		`font-family="sans-serif">`+"\n", len(machines)*(panel+2*margin), title+panel+margin)
	for i, clf := range machines {
		f := frame{left: float64(margin + i*(panel+2*margin)), x0: -1.3, y0: -0.25, width: 2.3, height: 1.4}
		fmt.Fprintf(&b, `<text x="%.0f" y="18" font-size="15" fill="%s">%s keeps %d of %d</text>`+"\n", f.left, c.text,
			clf.Method(), clf.NumVectors(), points.N)
		fmt.Fprintf(&b, `<path d="%s" stroke="%s" stroke-width="1.5" fill="none"/>`+"\n", boundary(clf, &f), c.line)
		for j := range points.N {
			colour := c.negative
			if points.Y[j] == 1 {
				colour = c.positive
			}
			x, y := f.at(points.X[2*j], points.X[2*j+1])
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", x, y, colour)
		}
		p := clf.Parts()
		for j := range p.N {
			x, y := f.at(p.Vectors[2*j], p.Vectors[2*j+1])
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="6" fill="none" stroke="%s" stroke-width="1.8"/>`+"\n", x, y, c.kept)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// boundary is where the decision is 0: in every cell of a grid the line between the two of its edges on which the
// sign changes, placed by linear interpolation.
func boundary(clf *sparsekm.Classifier, f *frame) string {
	at := func(i, j int) (x, y float64) {
		return f.x0 + f.width*float64(i)/cells, f.y0 + f.height*float64(j)/cells
	}
	var path strings.Builder
	for i := range cells {
		for j := range cells {
			command := "M"
			corners := [5][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}}
			for k := range 4 {
				x0, y0 := at(corners[k][0], corners[k][1])
				x1, y1 := at(corners[k+1][0], corners[k+1][1])
				d0, d1 := clf.Decide([]float64{x0, y0}), clf.Decide([]float64{x1, y1})
				if (d0 > 0) == (d1 > 0) {
					continue
				}
				t := d0 / (d0 - d1)
				x, y := f.at(x0+t*(x1-x0), y0+t*(y1-y0))
				fmt.Fprintf(&path, "%s%.1f %.1f", command, x, y)
				command = "L"
			}
		}
	}
	return path.String()
}
