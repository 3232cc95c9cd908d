// Package distill trains a small model that follows another one, its teacher: trained centres, steps and a plane, by
// method direct, fitted to the teacher's probabilities or values.
//
// The teacher is a function, or only its values for the samples of a set. With p its probability of a class and f the
// student's decision value, the loss of a sample is the cross-entropy log(1 + eᶠ) − p f: decision values are log odds,
// and the student has probabilities. For several classes each has such an f, all over one pool of vectors. Of values
// the loss is (f − t)².
//
// # What folds choose
//
// First [direct.Trainer] with Tune chooses C, γ, the units, and their number if no budget sets it, and it compares a
// learnt value for each category with a feature of 0 and 1. Then, if the samples have labels, folds choose the weight w
// of the labels: the targets are (1 − w) p + w y, with w = 0 unless the held-out log loss to the labels falls by a
// standard error. Then the teacher is asked again, in rounds.
//
// # Asking again
//
// A new sample lies between a sample and one of the near ones, at most half way, with normal noise of a tenth of a
// feature's deviation in every second one. It stays within the range of each feature. Numbers that are few, categories,
// dates and missing cells are taken from either of the two, never mixed; whole numbers stay whole. Half of the samples
// are drawn evenly, half where student and teacher differ most so far. After a round the students of the folds are
// trained with the new samples too, but for those that a held-out sample was mixed into. The round counts if the
// held-out loss to the labels falls by a standard error. It also counts if the loss to the teacher on such new samples
// falls by one, and held-out losses to labels and teacher do not grow by one. The first round that does not count is
// the last.
//
// A teacher that knows the samples' labels by heart says nothing of them: samples that it was not trained on make a
// better choice.
package distill
