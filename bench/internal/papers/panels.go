package papers

import (
	"bytes"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
)

// Panel is a model in the plane of its training samples.
type Panel struct {
	Title   string
	Samples *dataset.Set
	Clf     *sparsekm.Classifier
}

// WritePanels writes an SVG of the panels side by side.
func WritePanels(w io.Writer, panels []Panel, dark bool) error {
	const width, height = 320, 300
	var all bytes.Buffer
	fmt.Fprintf(&all, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", len(panels)*width, height)
	for i, p := range panels {
		picture, err := plots.New(dark).Boundary(p.Clf, p.Samples, nil)
		if err != nil {
			return err
		}
		picture.Title, picture.Wide, picture.High = p.Title, width, height
		var one bytes.Buffer
		if err = picture.Write(&one); err != nil {
			return err
		}
		_, drawn, _ := bytes.Cut(one.Bytes(), []byte("<svg "))      // after the declaration of XML, if there is one
		drawn = bytes.Replace(drawn, []byte(`pt"`), []byte(`"`), 2) // in units of the whole
		fmt.Fprintf(&all, "<g transform=\"translate(%d)\"><svg %s</g>\n", i*width, drawn)
	}
	all.WriteString("</svg>\n")
	_, err := all.WriteTo(w)
	return err
}
