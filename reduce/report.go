package reduce

import "github.com/sparsekm/sparsekm/model"

// Result is a smaller model with a report.
type Result struct {
	Classifier *model.Classifier `json:"-"`
	Report
}

// Report says what was removed, and what every further removal would have cost.
type Report struct {
	Method   string  `json:"method"` // "kobayashi" or "downs"
	SVBefore int     `json:"sv_before"`
	SVAfter  int     `json:"sv_after"` // distinct vectors, as in all counts
	Merged   int     `json:"merged"`   // removed ones that repeat others or that no submodel used
	Lambda   float64 `json:"lambda,omitempty"`
	Tau      float64 `json:"tau,omitempty"`
	// Order has the removed vectors as indices in the given model, in the order of removal; HingeIncrease has the
	// criterion after each, nil without data.
	Order         []int     `json:"order"`
	HingeIncrease []float64 `json:"hinge_increase,omitempty"`
	Stopped       string    `json:"stopped"`           // the rule that decided
	Message       string    `json:"message,omitempty"` // a warning or an explanation
	Refit         string    `json:"refit,omitempty"`   // how coefficients were fitted again; empty if they were not
	HingeBefore   float64   `json:"hinge_before"`      // mean hinge loss on the data
	HingeAfter    float64   `json:"hinge_after"`
	// Compared compares the models before and after on the validation data; nil without data.
	Compared *Comparison `json:"compared,omitempty"`
	// Values compares regression models. Losses and errors in this report are then root mean square errors in standard
	// deviations of the targets, and agreements are R² against the given model.
	Values *RegressionComparison `json:"values,omitempty"`
	// VectorAgreement is the fraction of the given model's vectors that keep their class, if there are no data to compare
	// on; else nil. Support vectors lie near the boundary: of other samples, more keep their class.
	VectorAgreement *float64 `json:"vector_agreement,omitempty"`
	// TeacherAgreement is the fraction of the data's samples that get the teacher's class, for regression R² against the
	// teacher; nil without a teacher.
	TeacherAgreement *float64 `json:"teacher_agreement,omitempty"`
	// Curve has every stage, from all distinct vectors down to one, also beyond the stop; empty without data.
	Curve        []Point `json:"curve,omitempty"`
	MicrosBefore float64 `json:"us_before,omitempty"` // measured time of one prediction in µs
	MicrosAfter  float64 `json:"us_after,omitempty"`
	PlattStale   bool    `json:"platt_stale,omitempty"` // the probabilities were fitted to the old decision values
}

// Point is one stage of a reduction, before any refit.
type Point struct {
	SV            int     `json:"sv"`
	HingeIncrease float64 `json:"hinge_increase"` // on the data
	Error         float64 `json:"error"`          // fractions of the validation data
	Agreement     float64 `json:"agreement"`
	Micros        float64 `json:"us,omitempty"` // interpolated between measured sizes
}
