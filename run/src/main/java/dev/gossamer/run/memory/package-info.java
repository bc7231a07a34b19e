/// What a run will take before it takes it: buffers and memory.
@NullMarked
package dev.gossamer.run.memory;

import org.jspecify.annotations.NullMarked;
