// Package presolve makes a linear program smaller and turns an optimal basis of what is left into one of the
// given program.
//
//	min cᵀx   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up
//
// Reductions (Andersen and Andersen, 1995, "Presolving in linear programming"): rows without entries, rows with one,
// rows that bounds imply or force, fixed columns, columns without entries, columns that costs and rows push to
// one of their bounds, columns with one entry whose bounds the row implies or that an equation makes a
// slack, equations of two columns, rows that are multiples of others, and columns that are and cost no less, or as
// much between bounds. Each is a struct with the means to be undone; they are undone in reverse. Only an equation
// of two columns changes the matrix, which loses entries by it: nothing fills in.
//
// What comes back is a basis with values and duals. Who solves the given program from the basis finds values and duals
// to be proven by its own arithmetic.
package presolve
