package dev.gossamer.pruned.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MaskReportTest {
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("a", 3, 4, true)
          .add("bias", 1, 4, false)
          .add("b", 2, 5, true)
          .build();

  private static Mask mask(int... survivors) {
    BitSet bits = new BitSet();
    for (int survivor : survivors) {
      bits.set(survivor);
    }
    return new Mask(LAYOUT, Map.of("a", bits));
  }

  @Test
  void countsWhatSurvives() {
    // Row 0: columns 1 and 2; row 2: column 1.
    MaskReport report = MaskReport.of(mask(1, 2, 9));
    assertThat(report.matrices()).containsExactly(new MaskReport.Matrix("a", 3, 4, 3, 1, 2));
    assertThat(report.elements()).isEqualTo(12);
    assertThat(report.survivors()).isEqualTo(3);
    assertThat(report.sparsity()).isCloseTo(0.75, within(1e-12));
    assertThat(report.indexBytes(IndexKind.BITMAP)).isEqualTo(IndexKind.BITMAP.bytes(12, 3));
  }

  @Test
  void aWholeNetworkHasNothingToReport() {
    MaskReport report = MaskReport.of(Mask.whole(LAYOUT));
    assertThat(report.matrices()).isEmpty();
    assertThat(report.elements()).isZero();
  }

  @Test
  void countsWhereMasksDiffer() {
    assertThat(MaskReport.differences(mask(1, 2, 9), mask(1, 3, 9))).containsExactly(2L);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MaskReport.differences(mask(1), RandomPruning.mask(LAYOUT, 0.5, 1)));
  }
}
