package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Limits of the sentences of a page, in words.
const (
	longestSentence = 45
	medianSentence  = 18
)

// allowed are phrases of the field that contain a word which stands alone in the glossary's last column.
var allowed = regexp.MustCompile(`(?i)\b(interior|percentage|floating|fixed|starting|decimal|saddle|stationary|end|` +
	`break|inducing|Chebyshev|feasible|optimal|extreme|grid|lattice)[ -]points?\b` +
	`|\b(support[ -]vector|kernel|relevance[ -]vector|vector|learning|virtual|state|Boltzmann)[ -]machines?\b` +
	`|\bmachine (learning|epsilon|precision|code|instruction)s?\b|// Price\b`)

// houseWords reads the glossary's last column: the words that may not come back.
func houseWords(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "design", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, row := range regexp.MustCompile(`(?m)^\|.*\| ([^|]*) \|$`).FindAllStringSubmatch(string(text), -1) {
		for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			words = append(words, regexp.QuoteMeta(word[1]))
			if word[1] == "machine" {
				words = append(words, "machines")
			}
		}
	}
	if len(words) < 15 {
		t.Fatalf("only %d words in the glossary's last column", len(words))
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
}

// found returns the first house word of a text, "" for none. Code spans and phrases of the field do not count.
func found(words *regexp.Regexp, text string) string {
	return words.FindString(allowed.ReplaceAllString(codeSpan.ReplaceAllString(text, "x"), "x"))
}

var codeSpan = regexp.MustCompile("`[^`\n]*`|\"[a-z_]+\"")

// TestHouseWords wants no word of the glossary's last column in comments and messages.
func TestHouseWords(t *testing.T) {
	words := houseWords(t)
	const mode = parser.ParseComments | parser.SkipObjectResolution
	eachFile(t, mode, func(file string, fset *token.FileSet, parsed *ast.File) {
		if strings.HasPrefix(file, "internal/house/") {
			return
		}
		report := func(at token.Pos, text string) {
			if word := found(words, text); word != "" {
				t.Errorf("%s:%d: %q; the glossary has the field's word", file, fset.Position(at).Line, word)
			}
		}
		for _, group := range parsed.Comments {
			for _, c := range group.List {
				report(c.Pos(), c.Text)
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if ok && lit.Kind == token.STRING && lit.Value[0] == '"' {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(strings.TrimSpace(text), " ") {
					report(lit.Pos(), text)
				}
			}
			return true
		})
	})
	eachFileOf(t, func(file, text string) {
		for i, line := range strings.Split(text, "\n") {
			if _, comment, ok := strings.Cut(line, "//"); ok {
				if word := found(words, comment); word != "" {
					t.Errorf("%s:%d: %q; the glossary has the field's word", file, i+1, word)
				}
			}
		}
	}, ".s", ".h")
}

// TestHouseWordsOfPages wants no word of the glossary's last column on a page, and sentences that are read once.
func TestHouseWordsOfPages(t *testing.T) {
	words := houseWords(t)
	eachFileOf(t, func(file, text string) {
		for i, line := range strings.Split(withoutCode(text), "\n") {
			if word := found(words, line); word != "" {
				t.Errorf("%s:%d: %q; the glossary has the field's word", file, i+1, word)
			}
		}
		var lengths []int
		for _, s := range sentences(text) {
			lengths = append(lengths, s.words)
			if s.words > longestSentence {
				t.Errorf("%s:%d: a sentence of %d words, at most %d", file, s.line, s.words, longestSentence)
			}
		}
		slices.Sort(lengths)
		if len(lengths) > 0 && lengths[len(lengths)/2] > medianSentence {
			t.Errorf("%s: the median sentence has %d words, at most %d", file, lengths[len(lengths)/2], medianSentence)
		}
	}, ".md")
}

// TestSentences holds the counting of sentences against a page.
func TestSentences(t *testing.T) {
	page := "# A title of five words\n\nOne two three. Four `five six` seven\neight?\n\n```sh\nno words here\n```\n" +
		"| a | table |\n- An item\n  that goes on.\n- Another one. And e.g. this\n"
	got := sentences(page)
	want := []sentence{{3, 3}, {3, 4}, {10, 5}, {12, 2}, {12, 3}}
	if !slices.Equal(got, want) {
		t.Errorf("sentences %v, want %v", got, want)
	}
	pattern := regexp.MustCompile(`(?i)\b(machines|points)\b`)
	for text, word := range map[string]string{"the Points": "Points", "interior points": "", "`points`": "",
		"support vector machines": "", "two machines": "machines"} {
		if f := found(pattern, text); f != word {
			t.Errorf("%q: found %q, want %q", text, f, word)
		}
	}
}

// The last word of a sentence, and abbreviations that look like one.
var (
	last         = regexp.MustCompile(`[.!?:][)"*_]*$`)
	abbreviation = regexp.MustCompile(`^\(?(e\.g|i\.e|al|vs|cf|Fig|eq|Eq|no|p|pp|[A-Z])\.$`)
)

// A sentence is its first line and its words.
type sentence struct{ line, words int }

// withoutCode blanks the blocks of code and the HTML comments of a page; lines keep their numbers.
func withoutCode(text string) string {
	blank := func(block string) string { return strings.Repeat("\n", strings.Count(block, "\n")) }
	text = regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllStringFunc(text, blank)
	return regexp.MustCompile(`(?s)<!--.*?-->|<[a-z/][^>]*>`).ReplaceAllStringFunc(text, blank)
}

// sentences lists those of a page outside of blocks, tables and titles.
func sentences(text string) (all []sentence) {
	var current sentence
	end := func() {
		if current.words > 0 {
			all = append(all, current)
		}
		current = sentence{}
	}
	for i, line := range strings.Split(withoutCode(text), "\n") {
		line = codeSpan.ReplaceAllString(regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(line, "]"), "code")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || regexp.MustCompile(`^(\||#|-|\*|\d+\.)`).MatchString(trimmed) {
			end()
		}
		if strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#") {
			continue
		}
		for _, word := range strings.Fields(strings.TrimLeft(trimmed, "-* ")) {
			if current.words == 0 {
				current.line = i + 1
			}
			current.words++
			if last.MatchString(word) && !abbreviation.MatchString(word) {
				end()
			}
		}
	}
	end()
	return all
}

// eachFileOf calls f with the text of every file of the repository with one of the endings.
func eachFileOf(t *testing.T, f func(file, text string), endings ...string) {
	t.Helper()
	root, files := testutil.Root(t), 0
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != root && (strings.HasPrefix(base, ".") || base == "bin" || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(endings, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		files++
		f(filepath.ToSlash(rel), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 5 {
		t.Errorf("only %d files end in %v", files, endings)
	}
}
