package reduce

import "github.com/sparsekm/sparsekm/model"

// Result is a smaller classifier and what it cost.
type Result struct {
	Classifier *model.Classifier `json:"-"`
	Report
}

// Report says what was removed, and what every further removal would have cost.
type Report struct {
	Method   string  `json:"method"` // "kobayashi" or "downs"
	SVBefore int     `json:"sv_before"`
	SVAfter  int     `json:"sv_after"` // distinct vectors, as in all counts
	Merged   int     `json:"merged"`   // of the removed ones, repetitions of others and vectors that no machine used
	Lambda   float64 `json:"lambda,omitempty"`
	Tau      float64 `json:"tau,omitempty"`
	// Order has the removed vectors as indices in the given model, first removed
	// first; HingeIncrease the criterion after each, nil without data.
	Order         []int     `json:"order"`
	HingeIncrease []float64 `json:"hinge_increase,omitempty"`
	Stopped       string    `json:"stopped"`           // the rule that decided
	Message       string    `json:"message,omitempty"` // what a person should know
	Refit         string    `json:"refit,omitempty"`   // how coefficients were fitted again; empty if they were not
	HingeBefore   float64   `json:"hinge_before"`      // mean hinge loss on the data
	HingeAfter    float64   `json:"hinge_after"`
	// Compared is the model before and after on the validation data; nil without data.
	Compared *Comparison `json:"compared,omitempty"`
	// Values is that of a model of real values, whose losses, errors and agreements in this report are root mean square
	// errors, in standard deviations of the values, and shares of variance kept.
	Values *RegressionComparison `json:"values,omitempty"`
	// VectorAgreement is the fraction of the given model's vectors that keep their class, where there is no data
	// to compare on; nil otherwise. They lie near the boundary: of other points, more keep it.
	VectorAgreement *float64 `json:"vector_agreement,omitempty"`
	// TeacherAgreement is the fraction of the data's points that have the class that the teacher gives them, of values
	// the share of the teacher's variance that is kept; nil without a teacher.
	TeacherAgreement *float64 `json:"teacher_agreement,omitempty"`
	// Curve has a point for every stage, from all distinct vectors down to one, also
	// beyond the stop; without data, none.
	Curve        []Point `json:"curve,omitempty"`
	MicrosBefore float64 `json:"us_before,omitempty"` // measured time of one prediction in µs
	MicrosAfter  float64 `json:"us_after,omitempty"`
	PlattStale   bool    `json:"platt_stale,omitempty"` // the model's probabilities were fitted to the old decisions
}

// Point is one stage of a reduction, before any refit.
type Point struct {
	SV            int     `json:"sv"`
	HingeIncrease float64 `json:"hinge_increase"` // on the data
	Error         float64 `json:"error"`          // fractions of the validation data
	Agreement     float64 `json:"agreement"`
	Micros        float64 `json:"us,omitempty"` // interpolated between measured sizes
}
