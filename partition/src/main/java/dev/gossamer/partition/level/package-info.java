/// Graphs of the multilevel hierarchy and the loads and caps of their parts. Start with
/// [dev.gossamer.partition.level.LevelGraph].
@NullMarked
package dev.gossamer.partition.level;

import org.jspecify.annotations.NullMarked;
