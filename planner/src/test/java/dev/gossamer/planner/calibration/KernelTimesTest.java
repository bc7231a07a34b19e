package dev.gossamer.planner.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.graph.Progress;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.Work;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KernelTimesTest {
  /// One round, each kernel once, and no warm-up.
  private static final Repetition ONCE = new Repetition(1, 0, 0);

  @Test
  void measuresEveryKindOfWork() {
    AtomicLong clock = new AtomicLong();
    MeasuredRates rates =
        new KernelTimes(
                ThreadRanks.alone(),
                SmallSizes.SIZES,
                new Repetition(2, 1000, 1000),
                Progress.SILENT,
                () -> clock.addAndGet(300))
            .rates(2, 2);
    assertThat(rates.threads()).isEqualTo(2);
    // Points refuse what is not positive and finite.
    assertThat(rates.tables()).containsOnlyKeys(Work.values());
    assertThat(points(rates, Work.MATMUL)).hasSize(4);
    assertThat(points(rates, Work.MATMUL_RAGGED)).hasSize(2);
    assertThat(points(rates, Work.SPMM)).hasSize(4);
    assertThat(points(rates, Work.SPMM_RAGGED)).hasSize(8);
    assertThat(rates.spmm(1000, 10_000, 24, 2)).isPositive().isFinite();
  }

  /// By a clock that ticks a millisecond whenever it is asked, each kernel takes one, whatever it
  /// does.
  @Test
  void dividesByTheWorkThatWasDone() {
    AtomicLong clock = new AtomicLong();
    MeasuredRates rates =
        new KernelTimes(
                ThreadRanks.alone(),
                SmallSizes.SIZES,
                ONCE,
                Progress.SILENT,
                () -> clock.addAndGet(1_000_000))
            .rates(2, 2);
    // 4096 bytes are 1024 floats, 32 in a row of X and Y of 16 columns each.
    assertThat(points(rates, Work.MATMUL).getFirst().one())
        .isCloseTo(1e-3 / (32 * 16 * 16), withinPercentage(1e-6));
    assertThat(points(rates, Work.STREAM).getLast().all())
        .isCloseTo(1e-3 / 4096, withinPercentage(1e-6));
    assertThat(points(rates, Work.GATHER).getFirst().all())
        .isCloseTo(1e-3 / 16, withinPercentage(1e-6));
    assertThat(points(rates, Work.START).getFirst().one()).isCloseTo(1e-3, withinPercentage(1e-6));
  }

  /// Two ranks that each take a millisecond for a piece of work do two pieces in it.
  @Test
  void addsUpWhatTheRanksOfANodeDo() {
    List<MeasuredRates> ofRanks = new CopyOnWriteArrayList<>();
    ThreadRanks.run(
        2,
        node -> {
          AtomicLong clock = new AtomicLong();
          ofRanks.add(
              new KernelTimes(
                      node,
                      SmallSizes.SIZES,
                      ONCE,
                      Progress.SILENT,
                      () -> clock.addAndGet(1_000_000))
                  .rates(2, 1));
        });
    assertThat(ofRanks.getFirst()).isEqualTo(ofRanks.getLast());
    RateTable.Point gather = points(ofRanks.getFirst(), Work.GATHER).getFirst();
    assertThat(gather.one()).isCloseTo(1e-3 / 16, withinPercentage(1e-6));
    assertThat(gather.all()).isCloseTo(1e-3 / 32, withinPercentage(1e-6));
  }

  private static List<RateTable.Point> points(MeasuredRates rates, Work work) {
    return Objects.requireNonNull(rates.tables().get(work)).points();
  }

  @Test
  void passesOverWhatWasDisturbed() {
    assertThat(KernelTimes.lowerQuartile(9, 2, 8, 3, 7)).isEqualTo(3);
    assertThat(KernelTimes.lowerQuartile(5)).isEqualTo(5);
  }

  @Test
  void leavesOutWhatMemoryHasNoRoomFor() {
    Sizes sizes = Sizes.of(Effort.FULL);
    assertThat(sizes.within(Long.MAX_VALUE / 4)).isEqualTo(sizes);
    assertThat(sizes.within(sizes.bytes())).isEqualTo(sizes);
    Sizes smaller = sizes.within(sizes.bytes() - 1);
    assertThat(smaller.bytes()).isLessThan(sizes.bytes());
    assertThat(smaller.sparse().vertices()).isEqualTo(sizes.sparse().vertices().subList(0, 2));
    assertThat(sizes.within(1).passes()).hasSize(1);
  }

  @Test
  void hasSizesThatFit() {
    for (Effort effort : Effort.values()) {
      Sizes sizes = Sizes.of(effort);
      assertThat(sizes.bytes()).isGreaterThanOrEqualTo(sizes.small().bytes());
      assertThat(sizes.sparse().vertices()).isSorted();
      for (List<Integer> widths : List.of(sizes.widths(), sizes.sparse().widths())) {
        assertThat(widths).isSorted().allMatch(width -> width % Work.LINE_COLUMNS == 0);
      }
      for (List<Integer> widths : List.of(sizes.raggedWidths(), sizes.sparse().raggedWidths())) {
        assertThat(widths).isSorted().noneMatch(width -> width % Work.LINE_COLUMNS == 0);
      }
    }
  }
}
