package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

// peerRun is a line of peer/promise.py.
type peerRun struct {
	Setting string  `json:"setting"`
	Split   int     `json:"split"`
	Errors  int     `json:"errors"`
	Vectors int     `json:"sv"`
	Train   float64 `json:"train"`
	Predict float64 `json:"predict"`
}

// peerRuns adds those of scikit-learn to the ledger, set by set, where SPARSEKM_PEERS names a Python that has it.
func peerRuns(ctx context.Context, e *harness.Env, sets []splitSet) error {
	python, f := os.Getenv("SPARSEKM_PEERS"), &promiseFlags
	if python == "" || !listed(f.only, "peers") || f.splits == 0 {
		return nil
	}
	for _, p := range sets {
		if !listed(f.sets, p.name) {
			continue
		}
		splits := p.splits[:min(f.splits, len(p.splits))]
		if has, err := hasPeers(f.ledger, p.name, len(splits)); has || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := peersOn(ctx, e, python, p, splits); err != nil {
			return fmt.Errorf("%s on %s: %w", python, p.name, err)
		}
	}
	return nil
}

const peerPrefix = "scikit-learn "

// hasPeers reports whether the ledger has the peers' runs on n splits of a set.
func hasPeers(ledger, set string, n int) (bool, error) {
	text, err := os.ReadFile(ledger)
	if err != nil {
		return false, err
	}
	runs, err := modelselect.ReadRuns(bytes.NewReader(text), ledger)
	for _, r := range runs {
		if r.Key == peerKey(set, peerPrefix+"boosting", n-1) { // the last one
			return true, nil
		}
	}
	return false, err
}

func peerKey(set, setting string, split int) string {
	return fmt.Sprintf("%s, %s, %d", setting, set, split)
}

// peersOn runs the script on a set and writes its runs into the ledger.
func peersOn(ctx context.Context, e *harness.Env, python string, p splitSet, splits []dataset.Split) error {
	meta, data := filepath.Join(e.Tmp, "meta.json"), filepath.Join(e.Tmp, "points")
	type rows struct {
		Train []int `json:"train"`
		Test  []int `json:"test"`
	}
	described := struct {
		N      int    `json:"n"`
		D      int    `json:"d"`
		Y      []int  `json:"y"`
		Splits []rows `json:"splits"`
	}{N: p.set.N, D: p.set.D, Y: p.set.Y}
	for _, s := range splits {
		described.Splits = append(described.Splits, rows(s))
	}
	text, err := json.Marshal(described)
	if err != nil {
		return err
	}
	if err = os.WriteFile(meta, text, 0o666); err != nil {
		return err
	}
	if text, err = binary.Append(nil, binary.LittleEndian, p.set.X[:p.set.N*p.set.D]); err != nil {
		return err
	}
	if err = os.WriteFile(data, text, 0o666); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, python, filepath.Join("bench", "papers", "peer", "promise.py"), meta, data)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return addPeers(out, p.name, splits)
}

// addPeers appends the script's lines to the ledger.
func addPeers(out []byte, set string, splits []dataset.Split) error {
	ledger, err := os.OpenFile(promiseFlags.ledger, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer ledger.Close()
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var line peerRun
		if err = json.Unmarshal(lines.Bytes(), &line); err != nil {
			return err
		}
		s := splits[line.Split]
		r := modelselect.Run{Set: set, Setting: line.Setting, Split: line.Split, Trained: len(s.Train), Points: len(s.Test),
			Errors: line.Errors, Vectors: line.Vectors, Losses: map[string]float64{
				modelselect.Error.String(): float64(line.Errors) / float64(len(s.Test))},
			Key: peerKey(set, line.Setting, line.Split)}
		r.Seconds.Train, r.Seconds.Predict = line.Train, line.Predict
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err = ledger.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}
