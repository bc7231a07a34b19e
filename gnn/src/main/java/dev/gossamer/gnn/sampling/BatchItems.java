package dev.gossamer.gnn.sampling;

import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.link.BatchLinks;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.gnn.objective.VertexObjective;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// What the batches of an epoch consist of: training vertices, or training edges, around whose ends
/// neighbours are drawn. Immutable.
public sealed interface BatchItems {
  /// {@return the items of a training}
  ///
  /// @param objective of the training
  /// @param training vertices that batches have, by the numbers of the placement; if edges are
  ///   predicted, those that ends of pairs may be; borrowed
  /// @param placement of the vertices; its blocks do not matter
  /// @param seed of the run
  static BatchItems of(Objective objective, int[] training, Placement placement, long seed) {
    return switch (objective) {
      case VertexObjective _ -> new OfVertices(training, seed);
      case LinkObjective links ->
          new OfEdges(new BatchLinks(links.comparison(), placement, seed), training, seed);
    };
  }

  /// {@return the number of items of an epoch}
  int count();

  /// {@return vertices that batches may have} Borrowed.
  int[] training();

  /// {@return vertices of a batch, at most}
  ///
  /// @param items of the batch
  int mostVertices(int items);

  /// {@return the vertices of a batch of the first items of an epoch's order}
  ///
  /// @param epoch from 0 on
  /// @param items of the batch, at most
  int[] first(int epoch, int items);

  /// {@return the vertices of each batch of an epoch, by its number}
  ///
  /// @param count batches that the items are divided into
  /// @param epoch from 0 on
  IntFunction<int[]> batches(int count, int epoch);

  /// Training vertices.
  ///
  /// @param training the vertices; borrowed
  /// @param seed of the run
  @SuppressWarnings("ArrayRecordComponent")
  record OfVertices(int[] training, long seed) implements BatchItems {
    @Override
    public int count() {
      return training.length;
    }

    @Override
    public int mostVertices(int items) {
      return items;
    }

    @Override
    public int[] first(int epoch, int items) {
      int[] all = EpochBatches.cut(training, 1, seed, epoch).batch(0);
      return Arrays.copyOf(all, Math.min(all.length, items));
    }

    @Override
    public IntFunction<int[]> batches(int count, int epoch) {
      return EpochBatches.cut(training, count, seed, epoch)::batch;
    }
  }

  /// Training edges.
  ///
  /// @param links the edges
  /// @param training vertices that ends of pairs may be; borrowed
  /// @param seed of the run
  @SuppressWarnings("ArrayRecordComponent")
  record OfEdges(BatchLinks links, int[] training, long seed) implements BatchItems {
    @Override
    public int count() {
      return links.edges();
    }

    @Override
    public int mostVertices(int items) {
      return links.mostVertices(items);
    }

    @Override
    public int[] first(int epoch, int items) {
      int[] all = edges(1, epoch).batch(0);
      return links.batch(epoch, Arrays.copyOf(all, Math.min(all.length, items))).vertices();
    }

    @Override
    public IntFunction<int[]> batches(int count, int epoch) {
      EpochBatches edges = edges(count, epoch);
      return number -> links.batch(epoch, edges.batch(number)).vertices();
    }

    /// {@return the numbers of the edges of each batch of an epoch}
    ///
    /// @param count batches that the edges are divided into
    /// @param epoch from 0 on
    public EpochBatches edges(int count, int epoch) {
      return EpochBatches.cut(IntStream.range(0, count()).toArray(), count, seed, epoch);
    }
  }
}
