/// Historical embeddings (MB, section 3.2): what a rank keeps of the vertices of other ranks that
/// its batches see, instead of fetching them. [dev.gossamer.historical.HaloPartition] says which
/// those are, [dev.gossamer.historical.HistoricalCache] keeps rows of theirs, and
/// [dev.gossamer.historical.EmbeddingPush] brings them. Start with
/// [dev.gossamer.historical.HistoricalEmbeddings].
@NullMarked
package dev.gossamer.historical;

import org.jspecify.annotations.NullMarked;
