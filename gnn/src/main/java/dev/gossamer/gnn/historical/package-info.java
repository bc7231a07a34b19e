/// Historical embeddings (MB, section 3.2): what a rank keeps of the vertices of other ranks that
/// its batches see, instead of fetching them. [dev.gossamer.gnn.historical.HaloPartition] says
/// which those are, [dev.gossamer.gnn.historical.HistoricalCache] keeps rows of theirs, and
/// [dev.gossamer.gnn.historical.EmbeddingPush] brings them. Start with
/// [dev.gossamer.gnn.historical.HistoricalEmbeddings].
@NullMarked
package dev.gossamer.gnn.historical;

import org.jspecify.annotations.NullMarked;
