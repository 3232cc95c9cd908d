package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// link is a Markdown link or a picture's source inside the clone: its file and its anchor.
var link = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)|(?:src|srcset)="([^":]+)"`)

// TestNoDeadLinks wants every relative link of every page to lead to a file, and to a heading if it names one.
func TestNoDeadLinks(t *testing.T) {
	root, links, anchors := testutil.Root(t), 0, 0
	eachFileOf(t, func(file, text string) {
		if strings.HasSuffix(file, "/intro.md") {
			file = "docs/performance/" + filepath.Base(file) // a program puts it there
		}
		for _, m := range link.FindAllStringSubmatch(withoutCode(text)+pictures(text), -1) {
			links++
			target := file
			if m[1]+m[3] != "" {
				target = filepath.Join(filepath.Dir(file), m[1]+m[3])
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: a dead link: %v", file, err)
				continue
			}
			if m[2] == "" {
				continue
			}
			anchors++
			page, err := os.ReadFile(filepath.Join(root, target))
			if err != nil {
				t.Errorf("%s: %v", file, err)
			} else if !slices.Contains(headings(string(page)), m[2]) {
				t.Errorf("%s: a link to %s, which has no heading %q", file, target, m[2])
			}
		}
	}, ".md")
	if links < 200 || anchors < 20 {
		t.Errorf("%d links found, %d with anchors", links, anchors)
	}
}

// pictures are the tags of a page, which withoutCode leaves out.
func pictures(text string) string {
	return strings.Join(regexp.MustCompile(`<(?:source|img)[^>]*>`).FindAllString(text, -1), "\n")
}

// headings are the anchors of a page's headings, as GitHub and the site make them.
func headings(page string) (anchors []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(withoutCode(page), -1) {
		text := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors = append(anchors, strings.ReplaceAll(text, " ", "-"))
	}
	return anchors
}

// TestSiteNamesEveryPage wants every page of docs in the site's navigation once, and no other. `make site` checks what
// is made of them.
func TestSiteNamesEveryPage(t *testing.T) {
	root := testutil.Root(t)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, "internal", "tools", "site", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var named, want []string
	for _, m := range regexp.MustCompile(`(?m)^ +- (\S+\.md)$`).FindAllStringSubmatch(read("mkdocs.yml"), -1) {
		named = append(named, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^    "(.*\.md)": "(.*\.md)",$`).FindAllStringSubmatch(read("site.py"), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Error(err)
		}
		want = append(want, m[2])
	}
	eachFileOf(t, func(file, _ string) {
		if page, ok := strings.CutPrefix(file, "docs/"); ok {
			want = append(want, page)
		}
	}, ".md")
	want = append(want, "reference/c.md") // made of the header
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		t.Errorf("the navigation of internal/tools/site/mkdocs.yml names\n%q, want\n%q", named, want)
	}
}
