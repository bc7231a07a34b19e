package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.ScoredRows;
import dev.gossamer.gnn.objective.Truth;
import dev.gossamer.gnn.objective.VertexObjective;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;

/// The loss and the scores of the outputs of a rank's vertices. Methods are collective over the
/// ranks that have different vertices.
interface RankLoss {
  /// Computes the rank's part of the mean loss of an epoch, and replaces the outputs by its
  /// gradient; writes that of parameters that compare outputs, if there are any.
  ///
  /// @param outputs one row for each of the rank's vertices; overwritten
  /// @param epoch from 0 on
  /// @param state with all parameters and their gradients
  /// @return the rank's part of the mean
  double andGradient(DenseMatrix outputs, int epoch, DenseState state);

  /// {@return the scores of each part of the data, over all ranks}
  ///
  /// @param outputs one row for each of the rank's vertices; may be overwritten
  /// @param state with all parameters
  Evaluation evaluate(DenseMatrix outputs, DenseState state);

  /// {@return the loss of a training} Collective.
  ///
  /// @param training its objective and seed
  /// @param graph with what is to be predicted
  /// @param members the rank's vertices, by the data set's numbers
  /// @param column a group whose rank `i` has block `i` of the vertices; borrowed
  /// @param team the same ranks
  /// @param kernels threads and products; borrowed
  static RankLoss of(
      NetworkTraining training,
      PlacedGraph graph,
      int[] members,
      Communicator column,
      Team team,
      Kernels kernels) {
    return switch (training.objective()) {
      case VertexObjective vertices ->
          new OfVertices(vertices, graph.data(), members, team, kernels.workers());
      case LinkObjective links ->
          new OfLinks(
              new RankLinks(
                  links.comparison(),
                  training.network().decoder(),
                  training.seed(),
                  column,
                  graph.placement(),
                  team,
                  kernels));
    };
  }

  /// The loss of what is predicted of each vertex.
  final class OfVertices implements RankLoss {
    private final Truth truth;
    private final ScoredRows rows;
    private final long trained;
    private final Team team;
    private final Workers workers;

    private OfVertices(
        VertexObjective objective, GraphData data, int[] members, Team team, Workers workers) {
      this.team = team;
      this.workers = workers;
      truth = objective.truth(data, members);
      rows = ScoredRows.of(members.length, (row, part) -> data.isLabelled(members[row], part));
      trained = (long) team.sum(rows.train().length)[0];
    }

    @Override
    public double andGradient(DenseMatrix outputs, int epoch, DenseState state) {
      return truth.lossAndGradient(outputs, rows.train(), trained, workers);
    }

    @Override
    public Evaluation evaluate(DenseMatrix outputs, DenseState state) {
      return truth.evaluate(outputs, rows, team, workers);
    }
  }

  /// The loss of edges.
  ///
  /// @param links whose ends are the rank's vertices
  record OfLinks(RankLinks links) implements RankLoss {
    @Override
    public double andGradient(DenseMatrix outputs, int epoch, DenseState state) {
      return links.lossAndGradient(outputs, epoch, state);
    }

    @Override
    public Evaluation evaluate(DenseMatrix outputs, DenseState state) {
      return links.evaluate(outputs, state::weight);
    }
  }
}
