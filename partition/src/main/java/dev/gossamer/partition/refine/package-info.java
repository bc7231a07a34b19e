/// Refinement by moves of single vertices: the gain of a move (one class per objective), the
/// selection of moves (label propagation, localised search), and moves that bring loads back under
/// their caps. Start with [dev.gossamer.partition.refine.Gains].
@NullMarked
package dev.gossamer.partition.refine;

import org.jspecify.annotations.NullMarked;
