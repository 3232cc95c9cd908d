package trees

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// xgbFile is what is read of XGBoost's JSON.
type xgbFile struct {
	Learner *struct {
		Names   []string   `json:"feature_names"`
		Booster xgbBooster `json:"gradient_booster"`
		Param   struct {
			BaseScore string `json:"base_score"`
			Classes   string `json:"num_class"`
			Features  string `json:"num_feature"`
			Targets   string `json:"num_target"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
	} `json:"learner"`
}

type xgbBooster struct {
	Name   string    `json:"name"`
	Model  *xgbModel `json:"model"`
	GBTree struct {  // of dart
		Model *xgbModel `json:"model"`
	} `json:"gbtree"`
	Drop []float32 `json:"weight_drop"`
}

type xgbModel struct {
	Info  []int32           `json:"tree_info"`
	Trees []json.RawMessage `json:"trees"`
	Cats  struct {
		Enc json.RawMessage `json:"enc"`
	} `json:"cats"`
}

type xgbTree struct {
	Left       []int32   `json:"left_children"`
	Right      []int32   `json:"right_children"`
	Conditions []float32 `json:"split_conditions"`
	Indices    []int32   `json:"split_indices"`
	Types      []flag    `json:"split_type"`
	Default    []flag    `json:"default_left"`
	Categories []int32   `json:"categories"`
	CatNodes   []int32   `json:"categories_nodes"`
	CatStarts  []int32   `json:"categories_segments"`
	CatSizes   []int32   `json:"categories_sizes"`
	Param      struct {
		Nodes string `json:"num_nodes"`
		Leaf  string `json:"size_leaf_vector"`
	} `json:"tree_param"`
}

// flag is true, false, 0 or 1; versions differ.
type flag bool

func (f *flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "1", "true":
		*f = true
	case "0", "false":
		*f = false
	default:
		return fmt.Errorf("found %.40q, want 0 or 1", text)
	}
	return nil
}

// maxCategories is the number from which on XGBoost takes no number for a category.
const maxCategories = 1<<24 - 1

func readXGBoost(name string, data []byte) (*Model, error) {
	if len(data) > 1 && strings.IndexByte("iUIlLSC$#", data[1]) >= 0 {
		return nil, fmt.Errorf("%s: found XGBoost's UBJSON, want JSON: save_model(\"model.json\") writes it", name)
	}
	var file xgbFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s%s: %w", name, lineOf(data, err), err)
	}
	if file.Learner == nil {
		return nil, fmt.Errorf("%s: learner: found nothing, want a model that XGBoost's save_model wrote", name)
	}
	m := &Model{Program: "XGBoost", single: true, scale: 1, Objective: file.Learner.Objective.Name}
	if err := m.takeLearner(&file); err != nil {
		return nil, fmt.Errorf("%s: learner.%w", name, err)
	}
	return m, nil
}

// lineOf returns the line and column of a fault of JSON, ":3:7".
func lineOf(data []byte, err error) string {
	var at int64
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = e.Offset
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = e.Offset
	} else {
		return ""
	}
	before := data[:min(at, int64(len(data)))]
	return fmt.Sprintf(":%d:%d", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n')-1)
}

func (m *Model) takeLearner(file *xgbFile) error {
	l := file.Learner
	booster := l.Booster.Model
	switch l.Booster.Name {
	case "gbtree":
	case "dart":
		if booster = l.Booster.GBTree.Model; booster != nil && len(l.Booster.Drop) != len(booster.Trees) {
			return fmt.Errorf("gradient_booster.weight_drop: found %d weights, want one for each of %d trees",
				len(l.Booster.Drop), len(booster.Trees))
		}
	default:
		return fmt.Errorf("gradient_booster.name: found %.40q, want gbtree or dart", l.Booster.Name)
	}
	if booster == nil || len(booster.Trees) == 0 {
		return errors.New("gradient_booster.model.trees: found none, want some")
	}
	features, err := strconv.ParseInt(l.Param.Features, 10, 32)
	if err != nil || features < 1 || features == math.MaxInt32 {
		return fmt.Errorf("learner_model_param.num_feature: found %.40q, want at least 1", l.Param.Features)
	}
	m.Features = int(features)
	if len(l.Names) > 0 {
		if m.Names = l.Names; len(l.Names) != m.Features {
			return fmt.Errorf("feature_names: found %d names, want %d", len(l.Names), m.Features)
		}
	}
	if l.Param.Targets != "" && l.Param.Targets != "0" && l.Param.Targets != "1" {
		return fmt.Errorf("learner_model_param.num_target: found %.40q, want 1", l.Param.Targets)
	}
	if err = m.takeObjective(l.Param.Classes, l.Param.BaseScore); err != nil {
		return err
	}
	if words := booster.Cats.Enc; len(words) > 0 && string(words) != "[]" && string(words) != "null" {
		return errors.New("gradient_booster.model.cats: found a data frame's categories, want columns of their codes")
	}
	return m.takeTrees(booster, l.Booster.Drop)
}

// xgbLinks are XGBoost's objectives without those of ranks and lifetimes.
var xgbLinks = map[string]link{
	"binary:logistic": sigmoid, "reg:logistic": sigmoid, "binary:logitraw": margin, "binary:hinge": step,
	"multi:softprob": softmax, "multi:softmax": softmax, "reg:squarederror": identity, "reg:linear": identity,
	"reg:absoluteerror": identity, "reg:pseudohubererror": identity, "reg:squaredlogerror": identity,
	"reg:quantileerror": identity, "count:poisson": exponential, "reg:gamma": exponential, "reg:tweedie": exponential,
}

// takeObjective takes the objective and the base score, which a file has as a prediction, "5E-1" or "[5E-1]", or one
// for each class, which are scores.
func (m *Model) takeObjective(classes, base string) error {
	known := false
	if m.link, known = xgbLinks[m.Objective]; !known {
		return fmt.Errorf("objective.name: found %.40q, want one of classification or regression", m.Objective)
	}
	m.Scores = 1
	if n, err := strconv.Atoi(classes); m.link == softmax {
		if err != nil || n < 2 || n > maxScores {
			return fmt.Errorf("learner_model_param.num_class: found %.40q, want 2 to %d", classes, maxScores)
		}
		m.Scores = n
	}
	const field = "learner_model_param.base_score"
	words := strings.Split(strings.Trim(base, "[]"), ",")
	if len(words) != 1 && len(words) != m.Scores {
		return fmt.Errorf("%s: found %d numbers, want 1 or %d", field, len(words), m.Scores)
	}
	m.base = make([]float64, m.Scores)
	for k := range m.base {
		word := words[min(k, len(words)-1)]
		v, err := strconv.ParseFloat(word, 32)
		f := float32(v)
		switch {
		case m.link == sigmoid:
			f = -float32(math.Log(float64(1/f - 1)))
		case m.link == exponential:
			f = float32(math.Log(float64(f)))
		}
		if m.base[k] = float64(f); err != nil || math.IsNaN(m.base[k]) || math.IsInf(m.base[k], 0) {
			return fmt.Errorf("%s: found %.40q, want a prediction of %s", field, word, m.Objective)
		}
	}
	return nil
}

func (m *Model) takeTrees(b *xgbModel, drop []float32) error {
	const field = "gradient_booster.model"
	if len(b.Info) != len(b.Trees) {
		return fmt.Errorf("%s.tree_info: found %d numbers, want one for each of %d trees", field, len(b.Info), len(b.Trees))
	}
	for t, text := range b.Trees {
		k := b.Info[t]
		if k < 0 || int(k) >= m.Scores {
			return fmt.Errorf("%s.tree_info[%d]: found %d, want a number below %d", field, t, k, m.Scores)
		}
		m.group = append(m.group, k)
		weight := float32(1)
		if drop != nil {
			weight = drop[t]
		}
		if bytes.Contains(text, []byte("null")) { // which package json takes for 0
			return fmt.Errorf("%s.trees[%d]: found null, want numbers", field, t)
		}
		var tree xgbTree
		err := json.Unmarshal(text, &tree)
		if err == nil {
			err = m.takeTree(&tree, weight)
		}
		if err != nil {
			return fmt.Errorf("%s.trees[%d].%w", field, t, err)
		}
	}
	m.sorted()
	return nil
}

// takeTree adds a tree whose leaves have this weight.
func (m *Model) takeTree(t *xgbTree, weight float32) error {
	n := len(t.Left)
	if t.Param.Nodes != strconv.Itoa(n) {
		return fmt.Errorf("tree_param.num_nodes: found %.40q, want %d, as many as left_children has", t.Param.Nodes, n)
	}
	if t.Param.Leaf != "" && t.Param.Leaf != "0" && t.Param.Leaf != "1" {
		return fmt.Errorf("tree_param.size_leaf_vector: found %.40q, want 1", t.Param.Leaf)
	}
	for _, array := range []struct {
		name string
		size int
	}{{"right_children", len(t.Right)}, {"split_conditions", len(t.Conditions)}, {"split_indices", len(t.Indices)},
		{"default_left", len(t.Default)}} {
		if array.size != n {
			return fmt.Errorf("%s: found %d elements, want %d", array.name, array.size, n)
		}
	}
	if len(t.Types) != 0 && len(t.Types) != n {
		return fmt.Errorf("split_type: found %d elements, want %d", len(t.Types), n)
	}
	sets, err := m.takeCategories(t)
	if err != nil {
		return err
	}
	splits := make([]split, n)
	for i := range splits {
		if t.Left[i] < 0 {
			continue
		}
		categorical := len(t.Types) > 0 && bool(t.Types[i])
		s := split{left: int(t.Left[i]), right: int(t.Right[i]), feature: t.Indices[i]}
		if s.feature < 0 || int(s.feature) >= m.Features {
			return fmt.Errorf("split_indices[%d]: found %d, want a feature from 0 to %d", i, s.feature, m.Features-1)
		}
		// x < c of float32 is x ≤ the number before c
		s.threshold = float64(math.Nextafter32(t.Conditions[i], float32(math.Inf(-1))))
		if t.Default[i] {
			s.flags |= missingFirst
		}
		if set, found := sets[int32(i)]; categorical != found {
			return fmt.Errorf("split_type[%d]: found categories %v, want what categories_nodes says, %v", i, categorical, found)
		} else if found {
			s.threshold = float64(set)
			s.flags |= listed
		}
		splits[i] = s
	}
	return m.grow(n, func(i int) (split, float64, bool) {
		return splits[i], float64(weight * t.Conditions[i]), t.Left[i] < 0
	})
}

// takeCategories adds the sets of categories of a tree, and returns their numbers by node.
func (m *Model) takeCategories(t *xgbTree) (map[int32]int, error) {
	sets := map[int32]int{}
	if len(t.CatStarts) != len(t.CatNodes) || len(t.CatSizes) != len(t.CatNodes) {
		return nil, fmt.Errorf("categories_segments: found %d starts and %d sizes, want %d", len(t.CatStarts),
			len(t.CatSizes), len(t.CatNodes))
	}
	var end int64
	for i, at := range t.CatNodes {
		lo, size := int64(t.CatStarts[i]), int64(t.CatSizes[i])
		if lo != end || size < 0 || lo+size > int64(len(t.Categories)) {
			return nil, fmt.Errorf("categories_segments[%d]: found %d and %d more, want one after the other within %d", i, lo,
				size, len(t.Categories))
		}
		end += size
		set, ascending := make([]uint32, size), true
		for j, c := range t.Categories[lo:end] {
			if set[j] = uint32(c); c < 0 || c >= maxCategories {
				return nil, fmt.Errorf("categories[%d]: found %d, want 0 to %d", lo+int64(j), c, maxCategories-1)
			}
			ascending = ascending && (j == 0 || set[j] > set[j-1])
		}
		if _, twice := sets[at]; twice || !ascending {
			return nil, fmt.Errorf("categories_nodes[%d]: found node %d twice, or its categories in no order", i, at)
		}
		sets[at] = len(m.sets)
		m.sets = append(m.sets, set)
	}
	return sets, nil
}
