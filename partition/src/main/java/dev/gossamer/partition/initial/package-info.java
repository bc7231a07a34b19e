/// The partition of the coarsest graph: multilevel recursive bisection.
@NullMarked
package dev.gossamer.partition.initial;

import org.jspecify.annotations.NullMarked;
