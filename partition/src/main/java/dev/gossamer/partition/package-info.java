/// Partitioners, which assign vertices to ranks so that few rows are sent, and no rank sends many
/// more than others (SA, section 5).
///
/// Start with [dev.gossamer.partition.Partitioner]; [dev.gossamer.partition.PartitionQuality]
/// computes the quality of a partition from the definition. The multilevel method is divided into
/// packages by its steps: `level` (graphs and state), `coarsen`, `initial`, `refine`. Imports the
/// matrix and graph modules.
@NullMarked
package dev.gossamer.partition;

import org.jspecify.annotations.NullMarked;
