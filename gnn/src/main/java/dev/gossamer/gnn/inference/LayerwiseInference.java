package dev.gossamer.gnn.inference;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.sampling.blocks.Neighbourhoods;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.blocks.WholeNeighbourhoods;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerHalves;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Team;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.SystemMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Evaluation layer by layer over all vertices, with all neighbours or a sample, in small row
/// blocks of each rank, so that nothing is computed twice. MBS does not describe it (section 8.1.3
/// mentions evaluation). Memory: the outputs of two layers for the vertices of the rank, and the
/// neighbourhoods of a row block. A single rank reads neighbours in place. With replication the
/// ranks of a process row do the same work.
public final class LayerwiseInference implements Inference {
  private final RankShare share;
  private final InferencePlan plan;
  private final BlockStack blocks;
  private final Neighbourhoods neighbourhoods;
  private final Workers workers;
  private final int[] vertices;
  private final List<Features> inputs = new ArrayList<>();
  private final List<FeatureSource> sources = new ArrayList<>();
  private final List<DenseMatrix> outputs = new ArrayList<>();
  private final @Nullable Transformed transformed;
  private final @Nullable DenseMatrix carried;
  private final FetchedRows rows = new FetchedRows();

  /// What the first layer has made of the features, if it goes over them once.
  ///
  /// @param layer the first
  /// @param hw one row for each vertex of the block; in the memory of the second layer's output
  /// @param source of the rows of all vertices
  private record Transformed(LayerHalves layer, DenseMatrix hw, FeatureSource source) {}

  /// Allocates the memory for evaluation with all neighbours. Collective.
  ///
  /// @param arena shared
  /// @param share this rank's part of graph and features
  /// @param plan of the prediction
  /// @param blocks passes of the network; borrowed
  /// @param workers threads; borrowed
  public LayerwiseInference(
      Arena arena, RankShare share, InferencePlan plan, BlockStack blocks, Workers workers) {
    this(arena, share, new WholeNeighbourhoods(share.adjacency()), plan, blocks, workers);
  }

  /// Allocates the memory. Collective.
  ///
  /// @param arena shared
  /// @param share this rank's part of graph and features
  /// @param neighbourhoods of the share's graph: neighbours and their weights; borrowed
  /// @param plan of the prediction, the same on all ranks
  /// @param blocks passes of the network; borrowed
  /// @param workers threads; borrowed
  public LayerwiseInference(
      Arena arena,
      RankShare share,
      Neighbourhoods neighbourhoods,
      InferencePlan plan,
      BlockStack blocks,
      Workers workers) {
    this.share = share;
    this.plan = plan;
    this.blocks = blocks;
    this.workers = workers;
    this.neighbourhoods = neighbourhoods;
    vertices = IntStream.range(share.begin(), share.end()).toArray();
    BufferPlan buffers = plan.buffers(vertices.length);
    List<DenseMatrix> memory =
        InferencePlan.OUTPUTS.stream()
            .filter(buffers::has)
            .map(name -> buffers.allocate(arena, name))
            .toList();
    carried =
        buffers.has(InferencePlan.CARRIED) ? buffers.allocate(arena, InferencePlan.CARRIED) : null;
    List<GraphLayer> layers = plan.network().layers();
    inputs.add(share.ownFeatures());
    sources.add(share.allFeatures());
    for (int l = 0; l < layers.size(); l++) {
      outputs.add(memory.get(l % 2).reshaped(vertices.length, layers.get(l).out()));
      if (l < layers.size() - 1) {
        Features hidden = new Features.Dense(outputs.get(l));
        inputs.add(hidden);
        sources.add(share.rowsOf(hidden));
      }
    }
    LayerHalves first = layers.getFirst().halves();
    if (plan.inputOnce() && first != null) {
      DenseMatrix hw = memory.get(1).reshaped(vertices.length, first.transformedWidth());
      transformed = new Transformed(first, hw, share.rowsOf(new Features.Dense(hw)));
    } else {
      transformed = null;
    }
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
  public DenseMatrix logits(DenseState state, Progress progress) {
    // Vertices are counted once, however many passes they take: each pass is a share of them.
    int passes = outputs.size() + (transformed == null ? 0 : 1);
    long done = 0;
    if (transformed != null) {
      for (int begin = 0; begin < vertices.length; begin += plan.rowsAtATime()) {
        int end = Math.min(vertices.length, begin + plan.rowsAtATime());
        transform(transformed, begin, end, state);
        progress.at(LABEL, end / passes, vertices.length);
      }
      done = vertices.length;
    }
    for (int l = 0; l < outputs.size(); l++) {
      // As many blocks as the rank with most vertices has: fetching is collective.
      for (int from = 0; from < share.largestBlock(); from += plan.rowsAtATime()) {
        int begin = Math.min(vertices.length, from);
        int end = Math.min(vertices.length, begin + plan.rowsAtATime());
        if (l == 0 && transformed != null) {
          aggregate(transformed, begin, end, state);
        } else {
          block(l, begin, end, state);
        }
        progress.at(LABEL, (done + end) / passes, vertices.length);
      }
      done += vertices.length;
    }
    return outputs.getLast();
  }

  @Override
  public @Nullable DenseMatrix hidden() {
    return outputs.size() > 1 ? outputs.get(outputs.size() - 2) : null;
  }

  /// `H W`, and in place of the first layer's output what it makes of a vertex's own row.
  private void transform(Transformed first, int begin, int end, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      Features own = inputs.getFirst().rows(arena, begin, end);
      blocks.transform(first.layer(), own, of(first.hw().rows(begin, end), begin, end), state);
    }
  }

  /// What the first half of the first layer makes for some vertices.
  private BlockStack.Transformed of(DenseMatrix hw, int begin, int end) {
    return new BlockStack.Transformed(hw, outputs.getFirst().rows(begin, end), carried(begin, end));
  }

  /// Rows that layers leave for later ones.
  private @Nullable DenseMatrix carried(int begin, int end) {
    return carried == null ? null : carried.rows(begin, end);
  }

  private void aggregate(Transformed first, int begin, int end, DenseState state) {
    CsrMatrix graph = graphHere();
    try (Arena arena = Arena.ofShared()) {
      if (graph != null && !blocks.settings().seesEdges()) {
        CsrMatrix part = graph.rows(arena, begin, end);
        BlockStack.Transformed here = of(first.hw(), begin, end);
        store(0, begin, end, blocks.aggregate(first.layer(), part, here, state));
        return;
      }
      SampledBlock block = neighbourhoods.block(arena, 0, Arrays.copyOfRange(vertices, begin, end));
      first.source().fetch(block.sources(), rows, workers);
      if (end > begin && rows.features() instanceof Features.Dense hw) {
        BlockStack.Transformed fetched = of(hw.x(), begin, end);
        store(0, begin, end, blocks.aggregate(first.layer(), block, fetched, state));
      }
    }
  }

  private void block(int l, int begin, int end, DenseState state) {
    NetworkSettings settings = blocks.settings();
    CsrMatrix graph = graphHere();
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
        DenseMatrix left = carried(begin, end);
        store(l, begin, end, blocks.output(l, part, begin, h.x(), left, state));
      } else {
        int[] targets = Arrays.copyOfRange(vertices, begin, end);
        SampledBlock block = neighbourhoods.block(arena, l, targets);
        sources.get(l).fetch(block.sources(), rows, workers);
        if (targets.length > 0) {
          DenseMatrix left = carried(begin, end);
          store(l, begin, end, blocks.output(l, block, rows.features(), left, state));
        }
      }
    }
  }

  /// The graph, if its rows are multiplied where they are: it is here, and all neighbours count.
  private @Nullable CsrMatrix graphHere() {
    return neighbourhoods instanceof WholeNeighbourhoods ? share.wholeGraph() : null;
  }

  /// Returns whether rows should be read in the order of pages instead of that of the neighbours.
  static boolean isLargeFile(Features.Dense h) {
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
