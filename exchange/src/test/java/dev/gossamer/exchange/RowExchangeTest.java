package dev.gossamer.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowExchangeTest {
  private static final int WIDEST = 6;

  /// Blocks of 0, 5, 10, 0, 20, ... rows.
  private static RowDistribution distribution(int ranks) {
    return RowDistribution.ofCounts(
        IntStream.range(0, ranks).map(r -> r % 3 == 0 && ranks > 1 ? 0 : 5 * r + 3).toArray());
  }

  private static int[] needs(RowDistribution distribution, int rank) {
    Random random = new Random(rank);
    // Rank 1 needs nothing.
    return IntStream.range(0, distribution.rows())
        .filter(row -> rank != 1 && random.nextInt(3) == 0)
        .toArray();
  }

  private static float element(int row, int column) {
    return row * 100 + column;
  }

  private static DenseMatrix block(Arena arena, RowDistribution d, int rank, int width) {
    DenseMatrix block = DenseMatrix.allocate(arena, d.count(rank), width);
    for (int r = 0; r < d.count(rank); r++) {
      for (int f = 0; f < width; f++) {
        block.set(r, f, element(d.begin(rank) + r, f));
      }
    }
    return block;
  }

  private interface Body {
    void run(Communicator world, RowExchange exchange, int[] remote, Arena arena);
  }

  private static void exchange(int ranks, RowDistribution d, RowFormat format, Body body) {
    ThreadRanks.run(
        ranks,
        world -> {
          int rank = world.rank();
          int[] needed = needs(d, rank);
          int[] remote = Arrays.stream(needed).filter(row -> d.owner(row) != rank).toArray();
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(2)) {
            RowExchange exchange = RowExchange.of(world, d, needed, format, WIDEST, workers, arena);
            body.run(world, exchange, remote, arena);
          }
        });
  }

  /// What an element is after its way.
  private static float rounded(RowFormat format, float x) {
    // Half of the sixteen bits that go, and to even if it is just that.
    int bits = Float.floatToIntBits(x);
    int even = bits >>> 16 & 1;
    return format == RowFormat.FLOAT32 ? x : Float.intBitsToFloat((bits + 0x7FFF + even) & -65536);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void gathersTheNeededRowsAndNoOthers(int ranks) {
    for (RowFormat format : RowFormat.values()) {
      gathersTheNeededRowsAndNoOthers(ranks, format);
    }
  }

  private static void gathersTheNeededRowsAndNoOthers(int ranks, RowFormat format) {
    RowDistribution d = distribution(ranks);
    exchange(
        ranks,
        d,
        format,
        (world, exchange, remote, arena) -> {
          assertThat(exchange.rowsNeeded()).isEqualTo(remote.length);
          for (int width : new int[] {WIDEST, 1, 4}) {
            DenseMatrix local = block(arena, d, world.rank(), width);
            for (int form = 0; form < 4; form++) {
              DenseMatrix target = DenseMatrix.allocate(arena, remote.length, width);
              Traffic.Snapshot before = world.traffic().snapshot();
              gather(exchange, form, format, local, target, ranks);
              Traffic.Snapshot moved = world.traffic().snapshot().minus(before);
              assertThat(moved.totalBytes())
                  .isEqualTo(exchange.rowsToSend() * width * (format == RowFormat.BF16 ? 2 : 4));
              assertThat(moved.bytes(form == 2 ? Operation.SEND : Operation.ALL_TO_ALL))
                  .isEqualTo(moved.totalBytes());
              for (int k = 0; k < remote.length; k++) {
                assertThat(target.get(k, width - 1))
                    .isEqualTo(rounded(format, element(remote[k], width - 1)));
                assertThat(target.get(k, 0)).isEqualTo(rounded(format, element(remote[k], 0)));
              }
            }
          }
        });
  }

  private static void gather(
      RowExchange exchange,
      int form,
      RowFormat format,
      DenseMatrix local,
      DenseMatrix target,
      int ranks) {
    switch (form) {
      case 0 -> exchange.gather(local, target);
      case 1 -> {
        exchange.beginGather(local, target);
        exchange.finishGather();
      }
      case 3 -> {
        MemorySegment packed = Arena.ofAuto().allocate(format.bytes(target.rows(), target.cols()));
        exchange.beginGatherPacked(local, packed);
        exchange.finishGather();
        try (Workers workers = new Workers(1)) {
          int[] inTurn = IntStream.range(0, exchange.rowsNeeded()).toArray();
          format.unpack(packed, target, inTurn, workers);
        }
      }
      default -> {
        exchange.beginGatherByOwner(local, target);
        // One owner's rows are left to the end.
        for (int owner = ranks - 1; owner > 0; owner--) {
          exchange.awaitOwner(owner);
        }
        exchange.finishGather();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void scatterIsTheTransposeOfGather(int ranks) {
    for (RowFormat format : RowFormat.values()) {
      scatterIsTheTransposeOfGather(ranks, format);
    }
  }

  private static void scatterIsTheTransposeOfGather(int ranks, RowFormat format) {
    RowDistribution d = distribution(ranks);
    DoubleAdder gathered = new DoubleAdder();
    DoubleAdder scattered = new DoubleAdder();
    DoubleAdder size = new DoubleAdder();
    exchange(
        ranks,
        d,
        format,
        (world, exchange, remote, arena) -> {
          int width = 3;
          float[][] values = SpreadGraph.randomRows(d.count(world.rank()), width, 50);
          DenseMatrix x = DenseMatrix.allocate(arena, d.count(world.rank()), width);
          DenseMatrix y = DenseMatrix.allocate(arena, remote.length, width);
          DenseMatrix gx = DenseMatrix.allocate(arena, remote.length, width);
          DenseMatrix sy = DenseMatrix.allocate(arena, d.count(world.rank()), width);
          fill(x, values);
          fill(y, SpreadGraph.randomRows(remote.length, width, 51 + world.rank()));
          exchange.gather(x, gx);
          exchange.scatterAdd(y, sy);
          gathered.add(dot(gx, y));
          scattered.add(dot(x, sy));
          size.add(1 + dot(y, y) + dot(gx, gx));
        });
    // Rows add at most `ranks` terms in float, the rest is in double. In bfloat16 each product has
    // one factor that was rounded, by 2^-8 of it, on either side; 2 |x y| is at most x^2 + y^2, and
    // what was rounded is at least 1 - 2^-8 of what it was.
    double rounding = ranks * 0x1p-23 + (format == RowFormat.BF16 ? 0x1.1p-8 : 0);
    assertThat(scattered.sum()).isCloseTo(gathered.sum(), offset(rounding * size.sum()));
    assertThat(format == RowFormat.FLOAT32 || ranks < 3 || gathered.sum() != scattered.sum())
        .isTrue();
    assertThat(ranks < 3 || gathered.sum() != 0).isTrue();
  }

  private static void fill(DenseMatrix matrix, float[][] values) {
    for (int r = 0; r < values.length; r++) {
      for (int f = 0; f < matrix.cols(); f++) {
        matrix.set(r, f, values[r][f]);
      }
    }
  }

  private static double dot(DenseMatrix a, DenseMatrix b) {
    double sum = 0;
    for (long r = 0; r < a.rows(); r++) {
      for (int f = 0; f < a.cols(); f++) {
        sum += (double) a.get(r, f) * b.get(r, f);
      }
    }
    return sum;
  }

  @Test
  void scatterAddsToWhatIsThere() {
    RowDistribution d = RowDistribution.ofCounts(2, 0, 1);
    ThreadRanks.run(
        3,
        world -> {
          int[] needed = world.rank() == 1 ? new int[] {1, 2} : new int[] {1};
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(1)) {
            RowExchange exchange =
                RowExchange.of(world, d, needed, RowFormat.FLOAT32, 1, workers, arena);
            DenseMatrix source = DenseMatrix.allocate(arena, exchange.rowsNeeded(), 1);
            source.fill(1 + world.rank());
            DenseMatrix local = DenseMatrix.allocate(arena, d.count(world.rank()), 1);
            local.fill(10);
            exchange.scatterAdd(source, local);
            switch (world.rank()) {
              case 0 -> assertThat(local.toArray()).isDeepEqualTo(new float[][] {{10}, {15}});
              case 1 -> assertThat(local.rows()).isZero();
              default -> assertThat(local.get(0, 0)).isEqualTo(12);
            }
          }
        });
  }

  @Test
  void refusesWhatDoesNotFit() {
    RowDistribution d = RowDistribution.even(6, 1);
    ThreadRanks.run(
        1,
        world -> {
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(1)) {
            RowFormat format = RowFormat.FLOAT32;
            assertThatThrownBy(
                    () -> RowExchange.of(world, d, new int[] {3, 3}, format, 1, workers, arena))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected ascending rows");
            assertThatThrownBy(
                    () -> new ExchangePattern(world, RowDistribution.even(6, 2), new int[0]))
                .hasMessageContaining("2 blocks of rows for 1 ranks");
            RowExchange exchange = RowExchange.of(world, d, new int[0], format, 2, workers, arena);
            DenseMatrix none = DenseMatrix.allocate(arena, 0, 2);
            DenseMatrix five = DenseMatrix.allocate(arena, 5, 2);
            assertThatThrownBy(() -> exchange.gather(five, none))
                .hasMessage("exchange: the block is 5 x 2; expected 6 rows");
            assertThatThrownBy(exchange::finishGather)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected GATHER, found IDLE");
          }
        });
  }
}
