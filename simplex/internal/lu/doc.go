// Package lu factors sparse square matrices and follows exchanges of their columns.
//
// B = L·U with the rows of B in an order of their own: columns and rows with one
// entry first, the rest by Markowitz's count with threshold pivoting (Markowitz, 1957;
// Suhl and Suhl, 1990). A column of B is known by its place, the row that it was pivoted on.
//
// An exchange of a column follows Forrest and Tomlin (1972): the column of U
// is replaced, and a row operation clears the row of U that it was pivoted on.
//
// Solves with few nonzeros touch the entries that these reach and nothing else: they
// are found by a depth-first search (Gilbert and Peierls, 1988); where they turn out to be
// many, the factor is passed over in its order.
package lu
