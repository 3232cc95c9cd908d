// Package presolve makes a linear program smaller and turns an optimal basis of what is left into one of the
// given program.
//
//	min cᵀx   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up
//
// Reductions (Andersen and Andersen, 1995, "Presolving in linear programming"): rows without entries, rows with one,
// rows that bounds imply or force, fixed columns, columns without entries, columns that costs and rows push to
// one of their bounds, columns with one entry whose bounds the row implies or that an equation makes a
// slack, rows that are multiples of others, and columns that are and cost no less. Each is a struct with the means
// to be undone; they are undone in reverse. The matrix itself never
// changes, so that nothing fills in: what is left is a part of its rows and columns.
//
// Undoing needs no values of columns, only positions and duals: what comes out is a basis, and who solves the
// given program from there finds values and duals to be proven by its own arithmetic.
package presolve
