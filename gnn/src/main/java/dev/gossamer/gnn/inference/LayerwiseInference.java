package dev.gossamer.gnn.inference;

import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.sampling.SampledBlock;
import dev.gossamer.gnn.sampling.WholeNeighbourhoods;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.run.Team;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.SystemMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Evaluation with all neighbours, which MBS leaves out (section 8.1.3 has some): layer by layer
/// over all vertices, each rank over its block, a few rows at a time, so that nothing is computed
/// twice. Memory: the outputs of two layers for the vertices of the block, and the neighbourhoods
/// of a few rows. A rank that is alone reads its neighbours where they are. With replication the
/// ranks of a process row do the same work.
public final class LayerwiseInference implements Inference {
  /// Buffer names: a layer reads one and writes the other.
  private static final List<String> TURNS = List.of("evaluation, odd", "evaluation, even");

  private final RankShare share;
  private final BlockStack blocks;
  private final WholeNeighbourhoods neighbourhoods;
  private final Workers workers;
  private final int[] vertices;
  private final int rowsAtATime;
  private final List<Features> inputs = new ArrayList<>();
  private final List<FeatureSource> sources = new ArrayList<>();
  private final List<DenseMatrix> outputs = new ArrayList<>();
  private final FetchedRows rows = new FetchedRows();

  /// Takes the memory. Collective.
  ///
  /// @param arena shared
  /// @param share this rank's part of graph and features
  /// @param network its layers
  /// @param blocks passes of the network; borrowed
  /// @param rowsAtATime the same on all ranks
  /// @param workers threads; borrowed
  public LayerwiseInference(
      Arena arena,
      RankShare share,
      Network network,
      BlockStack blocks,
      int rowsAtATime,
      Workers workers) {
    this.share = share;
    this.blocks = blocks;
    this.workers = workers;
    this.rowsAtATime = rowsAtATime;
    neighbourhoods = new WholeNeighbourhoods(share.adjacency());
    vertices = IntStream.range(share.begin(), share.end()).toArray();
    BufferPlan plan = buffers(network, vertices.length);
    List<DenseMatrix> memory =
        plan.buffers().stream().map(b -> plan.allocate(arena, b.name())).toList();
    inputs.add(share.ownFeatures());
    sources.add(share.allFeatures());
    for (int l = 0; l < network.layers().size(); l++) {
      int width = network.layers().get(l).out();
      outputs.add(memory.get(l % 2).reshaped(vertices.length, width));
      if (l < network.layers().size() - 1) {
        Features hidden = new Features.Dense(outputs.get(l));
        inputs.add(hidden);
        sources.add(share.rowsOf(hidden));
      }
    }
  }

  /// {@return what is there for each vertex of a rank's block}
  ///
  /// @param network its layers
  /// @param rows vertices of the block
  public static BufferPlan buffers(Network network, long rows) {
    int[] widest = new int[TURNS.size()];
    List<GraphLayer> layers = network.layers();
    for (int l = 0; l < layers.size(); l++) {
      widest[l % 2] = Math.max(widest[l % 2], layers.get(l).out());
    }
    return new BufferPlan(
        IntStream.range(0, Math.min(TURNS.size(), layers.size()))
            .mapToObj(i -> new BufferPlan.Buffer(TURNS.get(i), rows, widest[i]))
            .toList());
  }

  @Override
  public int[] vertices() {
    return vertices;
  }

  @Override
  public Team team() {
    return share.column();
  }

  @Override
  public DenseMatrix logits(DenseState state) {
    for (int l = 0; l < outputs.size(); l++) {
      // As many blocks as the rank with most vertices has: fetching is collective.
      for (int from = 0; from < share.largestBlock(); from += rowsAtATime) {
        int begin = Math.min(vertices.length, from);
        block(l, begin, Math.min(vertices.length, begin + rowsAtATime), state);
      }
    }
    return outputs.getLast();
  }

  @Override
  public @Nullable DenseMatrix hidden() {
    return outputs.size() > 1 ? outputs.get(outputs.size() - 2) : null;
  }

  private void block(int l, int begin, int end, DenseState state) {
    NetworkSettings settings = blocks.settings();
    CsrMatrix graph = share.wholeGraph();
    try (Arena arena = Arena.ofShared()) {
      if (!settings.seesGraph()) {
        if (end > begin) {
          Features own = inputs.get(l).rows(arena, begin, end);
          store(l, begin, end, blocks.output(l, own, end - begin, state));
        }
      } else if (graph != null
          && !settings.seesEdges()
          && inputs.get(l) instanceof Features.Dense h
          && !isLargeFile(h)) {
        CsrMatrix part = graph.rows(arena, begin, end);
        store(l, begin, end, blocks.output(l, part, begin, h.x(), state));
      } else {
        int[] targets = Arrays.copyOfRange(vertices, begin, end);
        SampledBlock block = neighbourhoods.block(arena, targets);
        sources.get(l).fetch(block.sources(), rows, workers);
        if (targets.length > 0) {
          store(l, begin, end, blocks.output(l, block, rows.features(), state));
        }
      }
    }
  }

  /// Whether rows had better be read in the order of their pages than in that of the neighbours.
  private static boolean isLargeFile(Features.Dense h) {
    long bytes = h.x().data().byteSize();
    return h.x().data().isMapped() && bytes > SystemMemory.total().orElse(Long.MAX_VALUE) / 2;
  }

  private void store(int l, int begin, int end, DenseMatrix output) {
    outputs.get(l).rows(begin, end).copyFrom(output);
  }

  @Override
  public void close() {
    rows.close();
  }
}
