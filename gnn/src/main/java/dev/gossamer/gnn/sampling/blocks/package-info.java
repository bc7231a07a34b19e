/// Batches and the blocks that are drawn for them: vertices in the order of the layers, and the
/// edges between them.
///
/// Imports `matrices`. Start with [dev.gossamer.gnn.sampling.blocks.SampledBatch].
@NullMarked
package dev.gossamer.gnn.sampling.blocks;

import org.jspecify.annotations.NullMarked;
