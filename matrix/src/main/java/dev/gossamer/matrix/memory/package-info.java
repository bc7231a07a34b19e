/// Memory by address. For kernels only: whoever goes by addresses has checked them before.
@NullMarked
package dev.gossamer.matrix.memory;

import org.jspecify.annotations.NullMarked;
