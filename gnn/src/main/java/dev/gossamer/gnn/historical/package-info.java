/// Historical embeddings (MB, section 3.2): cached embeddings of the remote vertices in a rank's
/// batches, which replace fetching. [dev.gossamer.gnn.historical.HaloPartition] finds these
/// vertices, [dev.gossamer.gnn.historical.HistoricalCache] stores their rows, and
/// [dev.gossamer.gnn.historical.EmbeddingPush] sends them. Start with
/// [dev.gossamer.gnn.historical.HistoricalEmbeddings].
@NullMarked
package dev.gossamer.gnn.historical;

import org.jspecify.annotations.NullMarked;
