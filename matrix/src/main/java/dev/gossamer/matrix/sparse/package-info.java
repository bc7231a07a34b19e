/// Kernels on sparse matrices: products with dense and sparse ones, and at the places of nonzeros.
/// Start with Spmm.
@NullMarked
package dev.gossamer.matrix.sparse;

import org.jspecify.annotations.NullMarked;
