/// Estimates of buffers and memory before a run allocates them.
@NullMarked
package dev.gossamer.run.memory;

import org.jspecify.annotations.NullMarked;
