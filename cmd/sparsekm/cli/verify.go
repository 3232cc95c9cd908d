package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type verifyCmd struct {
	modelArg
	Data string `arg:"" reads:"the samples" help:"Samples; - for standard input."`

	Against   string  `required:"" placeholder:"FILE" reads:"" help:"Predictions of another program: a label a line, perhaps with decisions after it; of trees what predict returns."`
	Tolerance float64 `default:"1e-9" min:"0" help:"Largest difference of two decisions that passes for none; XGBoost wants 1e-6."`

	DataFlags dataFlags `embed:""`
	session.MemFlag
}

// verifyJSON is what `sparsekm verify --json` prints.
type verifyJSON struct {
	N          int      `json:"n"`
	Differ     int      `json:"differ"` // labels that differ
	First      *int     `json:"first"`  // 0-based row of the first one
	Agreement  float64  `json:"agreement"`
	Difference *float64 `json:"decision_difference"` // the largest one; null when the file has labels only
	Tolerance  float64  `json:"tolerance"`
}

var errDiffer = errors.New("the predictions differ")

func (c *verifyCmd) Run(s *session.Session) error {
	memory := s.Memory
	if m, err := readTrees(s, c.Model, memory/2); m != nil || err != nil {
		if err != nil {
			return advised(err)
		}
		return c.verifyTrees(s, m, memory)
	}
	clf, _, err := loadClassifier(s, c.Model, memory)
	if err != nil {
		return err
	}
	r := c.DataFlags.reading((memory - clf.Bytes()) / 2)
	r.KeepSparse = clf.Sparse()
	set, clf, err := loadFor(s, clf, c.Data, r)
	if err != nil {
		return err
	}
	other, err := session.InBackground(s, func() (*otherPredictions, error) {
		return readPredictions(c.Against, clf.NumSubmodels(), set.N)
	})
	if err != nil {
		return err
	}
	labels, decisions := other.labels, other.decisions
	if len(labels) != set.N {
		return fmt.Errorf("%s: found %d predictions, want %d, one for each sample of %s", c.Against, len(labels), set.N,
			c.Data)
	}
	p, err := newPredictions(s.Context, clf, set, 0, wanted{})
	if err != nil {
		return stopped(err)
	}
	var difference *float64
	if decisions != nil {
		difference = new(float64)
		for i, f := range p.Decisions {
			*difference = max(*difference, math.Abs(f-decisions[i]))
		}
	}
	ours := p.Labels()
	return c.end(s, set.N, func(i int) bool { return ours[i] == labels[i] }, difference)
}

// end counts the predictions that differ, and says by how much decisions do, nil for unknown.
func (c *verifyCmd) end(s *session.Session, n int, same func(i int) bool, difference *float64) error {
	j := &verifyJSON{N: n, Tolerance: c.Tolerance, Difference: difference}
	for i := range n {
		if !same(i) {
			if j.Differ++; j.First == nil {
				j.First = &i
			}
		}
	}
	j.Agreement = 1 - float64(j.Differ)/float64(n)
	if err := s.Show(j, j.print); err != nil {
		return err
	}
	if j.Differ > 0 || difference != nil && !(*difference <= c.Tolerance) {
		return errDiffer
	}
	return nil
}

func (j *verifyJSON) print(w io.Writer) {
	fmt.Fprintf(w, "%d of %d labels agree", j.N-j.Differ, j.N)
	if j.First != nil {
		fmt.Fprintf(w, "; the first that does not is row %d", *j.First)
	}
	if j.Difference != nil {
		fmt.Fprintf(w, "; decisions differ by at most %.3g", *j.Difference)
	}
	fmt.Fprintln(w)
}

// otherPredictions are those of another program; decisions are nil if it has not written them.
type otherPredictions struct {
	labels    []string
	decisions []float64
}

// readPredictions reads a label a line and, when every line has exactly one
// number more for each model, the decisions too. The head line "labels ..." of
// svm-predict -b 1 is skipped, and so are its probabilities. More lines than most are not read.
func readPredictions(name string, submodels, limit int) (*otherPredictions, error) {
	g := new(otherPredictions)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	probabilities, complete := false, true
	for line := 1; len(g.labels) <= limit; line++ {
		text, err := in.ReadString('\n')
		if fields := strings.Fields(text); len(fields) > 0 {
			if line == 1 && fields[0] == "labels" {
				probabilities = true
			} else {
				g.labels = append(g.labels, canonicalLabel(fields[0]))
				if complete = complete && len(fields) == 1+submodels; complete && !probabilities {
					for _, field := range fields[1:] {
						v, notNumber := strconv.ParseFloat(field, 64)
						if notNumber != nil {
							return nil, fmt.Errorf("%s:%d: found %q, want a decision", name, line, field)
						}
						g.decisions = append(g.decisions, v)
					}
				}
			}
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if !complete || probabilities {
		g.decisions = nil
	}
	return g, nil
}
