package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.inference.Inference;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.ScoredRows;
import dev.gossamer.gnn.objective.Truth;
import dev.gossamer.gnn.objective.VertexObjective;
import dev.gossamer.gnn.sampling.BatchItems;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Evaluation;

/// The loss of a batch's outputs, and the scores of all vertices'.
interface BatchLoss {
  /// Where a batch is in a training.
  ///
  /// @param epoch from 0 on
  /// @param turn of the epoch
  record Place(int epoch, int turn) {}

  /// Computes a batch's part of the mean loss of its step, replaces the outputs of its seeds by the
  /// gradient, and writes that of parameters that compare outputs, if there are any. Local.
  ///
  /// @param outputs one row for each seed; overwritten
  /// @param state with all parameters and their gradients
  double andGradient(DenseMatrix outputs, SampledBatch batch, Place place, DenseState state);

  /// Returns the scores of each part of the data. Collective.
  ///
  /// @param logits of the vertices that this rank has evaluated; may be overwritten
  Evaluation evaluate(DenseMatrix logits, DenseState state);

  /// What a loss reads.
  ///
  /// @param training its objective and seed
  /// @param share the rank's vertices
  /// @param settings of batches
  /// @param deal of the items
  /// @param kernels threads and products; borrowed
  record Means(
      NetworkTraining training,
      RankShare share,
      MinibatchSettings settings,
      BatchDeal deal,
      Kernels kernels) {}

  /// Returns the loss of a training.
  ///
  /// @param inference evaluates
  static BatchLoss of(Means means, BatchItems items, Inference inference) {
    return switch (items) {
      case BatchItems.OfVertices _ ->
          new OfVertices(means, VertexObjective.of(means.training.objective()), inference);
      case BatchItems.OfEdges edges ->
          new OfEdges(means, edges, (LinkObjective) means.training.objective(), inference);
    };
  }

  /// The loss of what is predicted of each vertex.
  final class OfVertices implements BatchLoss {
    private final Means means;
    private final VertexObjective objective;
    private final Inference inference;
    private final Truth truth;
    private final ScoredRows rows;

    private OfVertices(Means means, VertexObjective objective, Inference inference) {
      this.means = means;
      this.objective = objective;
      this.inference = inference;
      int[] vertices = inference.vertices();
      truth = truth(vertices);
      rows =
          ScoredRows.of(
              vertices.length, (row, part) -> means.share.isLabelled(vertices[row], part));
    }

    /// What is true of some vertices, by the numbers of the placement.
    private Truth truth(int... vertices) {
      return objective.truth(means.share.dataset(), means.share.datasetIds(vertices));
    }

    @Override
    public double andGradient(
        DenseMatrix outputs, SampledBatch batch, Place place, DenseState state) {
      return truth(batch.seeds())
          .weightedLossAndGradient(outputs, weights(batch, place.turn), means.kernels.workers());
    }

    /// The weight of each seed's loss in the step.
    private float[] weights(SampledBatch batch, int turn) {
      if (means.settings.dividesSubgraphs()) {
        return batch.lossWeights();
      }
      double part = items(batch) / means.deal.itemsOfStep(turn);
      float[] weights = batch.lossWeights().clone();
      for (int i = 0; i < weights.length; i++) {
        weights[i] = (float) (weights[i] * part);
      }
      return weights;
    }

    /// What a batch counts in its step. A subgraph of a rank's own vertices estimates the part of
    /// the mean loss that its block has: it takes one for each block to estimate all of it.
    private double items(SampledBatch batch) {
      if (!means.settings.sampler().drawsSubgraphs()) {
        return batch.seeds().length;
      }
      return means.settings.ownBatches() ? means.share.distribution().blocks() : 1;
    }

    @Override
    public Evaluation evaluate(DenseMatrix logits, DenseState state) {
      return truth.evaluate(logits, rows, inference.team(), means.kernels.workers());
    }
  }

  /// The loss of edges, whose ends are the seeds of a batch.
  final class OfEdges implements BatchLoss {
    private final Means means;
    private final BatchItems.OfEdges items;
    private final RankLinks all;
    private EpochBatches edges;
    private int epoch;

    private OfEdges(
        Means means, BatchItems.OfEdges items, LinkObjective objective, Inference inference) {
      this.means = means;
      this.items = items;
      edges = edges(0);
      all =
          new RankLinks(
              objective.comparison(),
              means.training.network().decoder(),
              means.training.seed(),
              means.share.grid().processColumn(),
              means.share.placement(),
              inference.team(),
              means.kernels);
    }

    private EpochBatches edges(int ofEpoch) {
      return items.edges(means.deal.cutTogether(), ofEpoch);
    }

    @Override
    public double andGradient(
        DenseMatrix outputs, SampledBatch batch, Place place, DenseState state) {
      if (place.epoch != epoch) {
        epoch = place.epoch;
        edges = edges(epoch);
      }
      return items
          .links()
          .batch(epoch, edges.batch(batch.number()))
          .lossAndGradient(
              means.training.network().decoder(),
              outputs,
              means.deal.itemsOfStep(place.turn),
              state,
              means.kernels);
    }

    @Override
    public Evaluation evaluate(DenseMatrix logits, DenseState state) {
      return all.evaluate(logits, state::weight);
    }
  }
}
