/// Kernels on dense matrices: products, what is fused into their last step, losses, optimizer
/// steps. Start with Matmul.
@NullMarked
package dev.gossamer.matrix.dense;

import org.jspecify.annotations.NullMarked;
