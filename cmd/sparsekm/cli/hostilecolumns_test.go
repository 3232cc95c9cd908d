package cli

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// turned puts the columns of a CSV text into another order, or leaves some out.
func turned(text string, order ...int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		for i, at := range order {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cells[at])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columnCases are files whose columns are not those of the training.
func columnCases(t *testing.T, f fixture) (cases []hostile) {
	headless := plainText[strings.Index(plainText, "\n")+1:]
	extra := strings.ReplaceAll(strings.ReplaceAll(plainText, "\n", ",7\n"), "kind,7", "kind,id")
	for _, c := range []struct {
		what, text, says string
		flags            []string
	}{
		{what: "as they were", text: plainText},
		{what: "features turned", text: turned(plainText, 1, 0, 2)},
		{what: "label first", text: turned(plainText, 2, 0, 1)},
		{what: "label between", text: turned(plainText, 1, 2, 0)},
		{what: "no label", text: turned(plainText, 0, 1)},
		{what: "no label, turned", text: turned(plainText, 1, 0)},
		{what: "no header", text: headless},
		{what: "no header, no label", text: turned(headless, 0, 1)},
		{what: "an id more", text: extra, says: "id"},
		{what: "an id more, dropped", text: extra, flags: []string{"--drop", "id"}},
		{what: "an id more, dropped by place", text: extra, flags: []string{"--drop=-1"}},
		{what: "spaces in the header", text: strings.Replace(plainText, "height,", " height ,", 1)},
		{what: "a column missing", text: turned(plainText, 0, 2), says: "width"},
		{what: "the other missing", text: turned(plainText, 1, 2), says: "height"},
		{what: "another name", text: strings.Replace(plainText, "width", "depth", 1), says: `no column "width"`},
		{what: "another case", text: strings.Replace(plainText, "width", "Width", 1), says: `no column "width"`},
		{what: "the label's column twice", text: turned(plainText, 0, 1, 2, 2), says: "kind"},
		{what: "a feature twice", text: turned(plainText, 0, 1, 1, 2), says: "width"},
		{what: "too few without a header", text: turned(headless, 0), says: "found"},
		{what: "too many without a header", text: turned(headless, 0, 1, 0, 1, 2), says: "found"},
		{what: "a dropped column that is not there", text: plainText, flags: []string{"--drop", "age"}, says: "age"},
	} {
		for _, args := range [][]string{
			{"predict", "--decisions", "-o", "OUT", "NAMED", "IN"},
			{"reduce", "NAMED", "--max-sv", "3", "--train", "IN", "-o", "OUT"},
			{"verify", "NAMED", "--against", "NAMES", "IN"},
		} {
			h := hostile{what: c.what, file: "a.csv", text: c.text, args: append(args, c.flags...), says: c.says}
			if c.says != "" {
				h.code = session.Failed
			} else if args[0] == "predict" {
				h.result = sameText(t, f["NAMES"])
			}
			cases = append(cases, h)
		}
	}
	return cases
}
