/// Moves of single vertices that make a partition better: what a move gains (one class an
/// objective), which moves are made (label propagation, localised search), and moves that bring
/// loads back under their caps. Start with [dev.gossamer.partition.refine.Gains].
@NullMarked
package dev.gossamer.partition.refine;

import org.jspecify.annotations.NullMarked;
