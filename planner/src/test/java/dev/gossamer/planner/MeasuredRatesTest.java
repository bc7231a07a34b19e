package dev.gossamer.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.gossamer.base.InvalidSettingException;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/// All times are worked out by hand from [SampleRates].
class MeasuredRatesTest {
  private static final Percentage ROUNDED = withinPercentage(1e-9);

  /// Of several threads: one microsecond, `t^-0.5` of it where `t` threads share.
  private static final double START_OF_FOUR = 0.5e-6;

  private final MeasuredRates rates = SampleRates.of();

  @Test
  void multipliesRowsByWidths() {
    assertThat(rates.matmul(1000, 16, 64, 1)).isCloseTo(1000 * 16 * 64 * 2e-9, ROUNDED);
    assertThat(rates.matmul(1000, 32, 32, 1)).isCloseTo(1000 * 32 * 32 * 2e-9, ROUNDED);
    assertThat(rates.matmul(1000, 64, 64, 4))
        .isCloseTo(1000 * 64 * 64 * 2e-9 + START_OF_FOUR, ROUNDED);
    assertThat(rates.matmul(1000, 640, 64, 1)).isCloseTo(1000 * 640 * 64 * 4e-9, ROUNDED);
  }

  @Test
  void takesNarrowAsTheNarrowestThatWasMeasured() {
    assertThat(rates.matmul(1000, 3, 16, 1)).isEqualTo(rates.matmul(1000, 16, 16, 1));
    assertThat(rates.spmm(1000, 8000, 3, 1)).isEqualTo(rates.spmm(1000, 8000, 7, 1));
    assertThat(rates.gather(10, 4, 1)).isEqualTo(rates.gather(10, 64, 1));
  }

  @Test
  void hasRatesForWidthsThatFillNoLine() {
    assertThat(rates.matmul(1000, 16, 7, 1)).isCloseTo(1000 * 16 * 7 * 8e-9, ROUNDED);
    assertThat(rates.matmul(1000, 16, 17, 1)).isCloseTo(1000 * 16 * 17 * 8e-9, ROUNDED);
    assertThat(rates.spmm(1000, 8000, 7, 1)).isCloseTo(8000 * 7e-6, ROUNDED);
    assertThat(rates.spmm(1000, 8000, 14, 1)).isCloseTo(8000 * 14e-6, ROUNDED);
  }

  @Test
  void hasRatesOfGradients() {
    assertThat(rates.weightGradient(1000, 16, 16, 1)).isCloseTo(1000 * 256 * 5e-9, ROUNDED);
  }

  @Test
  void multipliesEntriesAndRowsWithoutAny() {
    assertThat(rates.spmm(1000, 8000, 32, 1)).isCloseTo(8000 * 2e-6, ROUNDED);
    assertThat(rates.spmm(1000, 8000, 128, 1)).isCloseTo(8000 * 8e-6, ROUNDED);
    assertThat(rates.spmm(1000, 8000, 64, 4)).isCloseTo(8000 * 2e-6 + START_OF_FOUR, ROUNDED);
    // No fewer than four entries in a row were measured.
    assertThat(rates.spmm(1000, 0, 16, 1)).isCloseTo(4000 * 1e-6, ROUNDED);
  }

  @Test
  void streamsSamplesAndGathers() {
    assertThat(rates.stream(1 << 24, 1)).isCloseTo((1 << 24) * Math.sqrt(2) * 1e-9, ROUNDED);
    assertThat(rates.sampling(1000, 4)).isCloseTo(1000 * 0.5e-7 + START_OF_FOUR, ROUNDED);
    assertThat(rates.sampling(1000, 2))
        .isCloseTo(1000 * Math.sqrt(0.5) * 1e-7 + Math.sqrt(0.5) * 1e-6, ROUNDED);
    assertThat(rates.gather(10, 128, 1)).isCloseTo(10 * 2e-7, ROUNDED);
    assertThat(rates.gather(10, 1024, 1)).isCloseTo(10 * 16e-7, ROUNDED);
  }

  @Test
  void takesNoTimeForNothing() {
    assertThat(rates.matmul(0, 16, 16, 4)).isZero();
    assertThat(rates.spmm(0, 0, 16, 4)).isZero();
    assertThat(rates.stream(0, 4)).isZero();
    assertThat(rates.sampling(0, 4)).isZero();
    assertThat(rates.gather(0, 64, 4)).isZero();
  }

  @Test
  void needsATableOfEachKind() {
    Map<Work, RateTable> tables = rates.tables();
    tables.remove(Work.GATHER);
    assertThatThrownBy(() -> new MeasuredRates(4, tables))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("tables: expected points of 1 sizes for gather, found none");
    tables.put(Work.GATHER, SampleRates.table(SampleRates.point(1)));
    assertThatThrownBy(() -> new MeasuredRates(4, tables)).hasMessageContaining("for gather");
    assertThatThrownBy(() -> new MeasuredRates(0, rates.tables())).hasMessageContaining("threads");
  }

  /// Each has its work priced with all threads; all of these are begun once.
  @Test
  void ranksOfANodeBeginTogether() {
    LinkRates link = new LinkRates(1e-6, 1e9);
    RankLayout layout = new RankLayout(new Cluster(1, 4, 4, 1L << 30, link, link, rates), 4);
    assertThat(layout.slowest(1000, (n, _, threads) -> rates.sampling((double) n, threads)))
        .isCloseTo(4 * 1000 * 0.5e-7 + START_OF_FOUR, ROUNDED);
  }
}
