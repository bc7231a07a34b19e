/// What a run will take before it takes it: buffers and memory.
@NullMarked
package dev.gossamer.plan;

import org.jspecify.annotations.NullMarked;
