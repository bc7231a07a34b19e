package dev.gossamer.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.gossamer.comm.Operation;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.comm.Traffic;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.SpreadGraph.Outcome;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class DistributedSpmmTest {
  private static final int N = 61;
  private static final int WIDTH = 5;
  private static final float[][] X = SpreadGraph.randomRows(N, WIDTH, 1);
  private static final float[][] GRAD_Y = SpreadGraph.randomRows(N, WIDTH, 2);
  private static final ExchangeWidth WHOLE = ExchangeWidth.whole(SpreadGraph.WIDEST);

  /// Adds one to every element: a row that is finished twice, or not at all, shows.
  private static final RowEpilogue PLUS_ONE =
      (y, begin, end) -> {
        for (long row = begin; row < end; row++) {
          for (int f = 0; f < y.cols(); f++) {
            y.set(row, f, y.get(row, f) + 1);
          }
        }
      };

  record Case(
      int ranks,
      ExchangeStrategy strategy,
      boolean directed,
      boolean weighted,
      Normalisation normalisation) {
    SpreadGraph graph() {
      return SpreadGraph.of(N, 4 * N, directed, weighted, normalisation, 7 + ranks);
    }

    Placement placement() {
      return graph().unevenPlacement(strategy.blocks(ranks), 3);
    }

    Outcome[] multiply(ExchangeStrategy otherwise, ExchangeWidth width) {
      return graph().multiply(ranks, otherwise, width, placement(), X, GRAD_Y, PLUS_ONE);
    }
  }

  private static final Map<Case, Outcome[]> OUTCOMES = new ConcurrentHashMap<>();

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 3, 4, 8}) {
      for (int c : new int[] {1, 2}) {
        for (Kind kind : Kind.values()) {
          for (boolean overlap : new boolean[] {false, true}) {
            ExchangeStrategy strategy = new ExchangeStrategy(kind, c, overlap);
            if (strategy.validFor(ranks)) {
              ExchangeStrategy narrow = new ExchangeStrategy(kind, c, overlap, RowFormat.BF16);
              // One matrix for both passes; one pattern with two scales; two patterns.
              cases.add(new Case(ranks, strategy, false, false, Normalisation.SYMMETRIC));
              cases.add(new Case(ranks, strategy, false, true, Normalisation.ROW_MEAN));
              cases.add(new Case(ranks, strategy, true, true, Normalisation.SYMMETRIC));
              cases.add(new Case(ranks, narrow, true, false, Normalisation.SYMMETRIC));
            }
          }
        }
      }
    }
    return cases.stream();
  }

  /// What a case gives, computed once for the tests that look at different sides of it.
  private static Outcome[] outcomes(Case c) {
    return OUTCOMES.computeIfAbsent(c, each -> each.multiply(each.strategy(), WHOLE));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void equalsTheDenseProduct(Case c) {
    SpreadGraph graph = c.graph();
    Placement placement = c.placement();
    Outcome[] outcomes = outcomes(c);
    int replication = c.strategy().replication();
    for (int rank = 0; rank < c.ranks(); rank++) {
      int[] members = placement.members(rank / replication);
      RowFormat wire = c.strategy().wire();
      assertRows(graph.propagation().forward(), X, 1, members, wire, outcomes[rank].y());
      assertRows(graph.propagation().backward(), GRAD_Y, 0, members, wire, outcomes[rank].gradX());
    }
  }

  /// Each element is within the error of a sum of `k` products in any order, `(k + 4) 2^-23 sum |a
  /// x|`, doubled for the scales, and of what rounds `x` to 8 bits on the way: `2^-8 sum |a x|`.
  private static void assertRows(
      CsrMatrix a, float[][] x, double plus, int[] members, RowFormat wire, float[][] found) {
    float[][] dense = a.toDense();
    assertThat(found).hasNumberOfRows(members.length);
    for (int r = 0; r < members.length; r++) {
      for (int f = 0; f < WIDTH; f++) {
        double expected = plus;
        double size = plus;
        for (int j = 0; j < N; j++) {
          expected += (double) dense[members[r]][j] * x[j][f];
          size += Math.abs((double) dense[members[r]][j] * x[j][f]);
        }
        double rounded = wire == RowFormat.BF16 ? 0x1p-8 : 0;
        double tolerance = ((a.rowLength(members[r]) + 4) * 0x1p-22 + rounded) * size;
        assertThat((double) found[r][f])
            .as("vertex %d, column %d", members[r], f)
            .isCloseTo(expected, offset(tolerance));
      }
    }
  }

  @ParameterizedTest
  @ShareOf("cases")
  void repeatsBitByBitWithOverlapOrWithout(Case c) {
    ExchangeStrategy given = c.strategy();
    ExchangeStrategy other =
        new ExchangeStrategy(given.kind(), given.replication(), !given.overlap(), given.wire());
    assertSameBits(c.multiply(given, WHOLE), outcomes(c));
    assertSameBits(c.multiply(other, WHOLE), outcomes(c));
  }

  /// The same bits and bytes; messages multiply, but for those of sums over process rows.
  @ParameterizedTest
  @ShareOf("cases")
  void blocksOfColumnsChangeNoBit(Case c) {
    ExchangeWidth width = new ExchangeWidth(SpreadGraph.WIDEST, 2);
    Outcome[] blocks = c.multiply(c.strategy(), width);
    assertSameBits(blocks, outcomes(c));
    assertTrafficAndBuffersAsPlanned(c, width, blocks);
  }

  private static void assertSameBits(Outcome[] found, Outcome[] expected) {
    for (int rank = 0; rank < expected.length; rank++) {
      assertThat(found[rank].y()).isDeepEqualTo(expected[rank].y());
      assertThat(found[rank].gradX()).isDeepEqualTo(expected[rank].gradX());
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void sendsExactlyThePlannedVolumeThroughThePlannedBuffers(Case c) {
    assertTrafficAndBuffersAsPlanned(c, WHOLE, outcomes(c));
  }

  private static void assertTrafficAndBuffersAsPlanned(
      Case c, ExchangeWidth width, Outcome[] outcomes) {
    SpreadGraph graph = c.graph();
    Placement placement = c.placement();
    int replication = c.strategy().replication();
    int atOnce = width.atOnce();
    ExchangeStrategy.Kind kind = c.strategy().kind();
    RowFormat wire = c.strategy().wire();
    CsrMatrix a = graph.propagation().forward();
    ExchangeVolume forward =
        ExchangeVolume.of(a, placement, kind, replication).in(wire).inBlocksOf(atOnce);
    ExchangeVolume backward =
        ExchangeVolume.of(graph.propagation().backward(), placement, kind, replication)
            .inBlocksOf(atOnce)
            .in(wire);
    ExchangeVolume transposed =
        ExchangeVolume.ofTransposed(a, placement, kind, replication).in(wire).inBlocksOf(atOnce);
    assertThat(forward.ranks()).isEqualTo(c.ranks());
    for (int rank = 0; rank < c.ranks(); rank++) {
      Outcome outcome = outcomes[rank];
      assertThat(forward.bytes(rank, WIDTH)).isEqualTo(outcome.traffic().totalBytes());
      assertThat(forward.messages(rank, WIDTH)).isEqualTo(outcome.traffic().totalMessages());
      assertThat(transposed.bytes(rank, WIDTH)).isEqualTo(backward.bytes(rank, WIDTH));
      assertThat(transposed.messages(rank, WIDTH)).isEqualTo(backward.messages(rank, WIDTH));
      assertThat(transposed.rowsReceived(rank)).isEqualTo(backward.rowsReceived(rank));
      assertThat(transposed.largestReceived(rank)).isEqualTo(backward.largestReceived(rank));
      assertThat(DistributedSpmm.plannedBuffers(forward, backward, c.strategy(), rank, width))
          .isEqualTo(outcome.buffers());
    }
  }

  /// Rows of other ranks take half the bytes, what is added up over process rows takes the same.
  @ParameterizedTest
  @EnumSource(Kind.class)
  void bfloat16HalvesTheBytesOfRows(Kind kind) {
    SpreadGraph graph = SpreadGraph.of(N, 4 * N, true, false, 3);
    float[][] x = SpreadGraph.randomRows(N, WIDTH, 1);
    for (int c : new int[] {1, 2}) {
      Placement placement = graph.unevenPlacement(8 / c, 6);
      Outcome[][] outcomes = new Outcome[2][];
      for (RowFormat wire : RowFormat.values()) {
        ExchangeStrategy strategy = new ExchangeStrategy(kind, c, true, wire);
        outcomes[wire == RowFormat.BF16 ? 1 : 0] =
            graph.multiply(8, strategy, placement, x, x, RowEpilogue.NONE);
      }
      long rows = 0;
      for (int rank = 0; rank < 8; rank++) {
        Traffic.Snapshot wide = outcomes[0][rank].traffic();
        Traffic.Snapshot narrow = outcomes[1][rank].traffic();
        assertThat(narrow.totalMessages()).isEqualTo(wide.totalMessages());
        for (Operation operation : Operation.values()) {
          boolean sums = operation == Operation.ALL_REDUCE;
          assertThat(narrow.bytes(operation) * (sums ? 1 : 2)).isEqualTo(wide.bytes(operation));
          rows += sums ? 0 : narrow.bytes(operation);
        }
      }
      assertThat(rows).isPositive();
    }
  }

  @Test
  void graphWithoutEdgesGivesZerosAndAppliesTheEpilogue() {
    SpreadGraph graph = SpreadGraph.of(9, 0, true, true, 1);
    float[][] x = SpreadGraph.randomRows(9, WIDTH, 1);
    for (Kind kind : Kind.values()) {
      ExchangeStrategy strategy = new ExchangeStrategy(kind, 2, true);
      Outcome[] outcomes = graph.multiply(4, strategy, Placement.block(9, 2), x, x, PLUS_ONE);
      for (Outcome outcome : outcomes) {
        assertThat(outcome.y()[0]).containsOnly(1f);
        assertThat(outcome.gradX()[0]).containsOnly(0f);
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    SpreadGraph graph = SpreadGraph.of(N, N, false, false, 1);
    float[][] wide = SpreadGraph.randomRows(N, SpreadGraph.WIDEST + 1, 1);
    ExchangeStrategy strategy = new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true);
    assertThatThrownBy(
            () -> graph.multiply(2, strategy, Placement.block(N, 2), wide, wide, RowEpilogue.NONE))
        .isInstanceOf(RankFailedException.class)
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .rootCause()
        .hasMessageContaining("width of at most 7");
    assertThatThrownBy(
            () -> graph.multiply(2, strategy, Placement.block(N, 3), wide, wide, RowEpilogue.NONE))
        .rootCause()
        .hasMessageContaining("3 blocks of rows for 2 process rows");
    assertThatThrownBy(() -> new ExchangeStrategy(Kind.OBLIVIOUS, 2, true).blocks(6))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("6 ranks with replication 2");
  }
}
