package dev.gossamer.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExchangeVolumeTest {
  /// A star: vertex 0 is needed by all, and needs all.
  private static CsrMatrix star(int n) {
    long[] pointers = new long[n + 1];
    int[] columns = new int[2 * (n - 1)];
    for (int v = 1; v < n; v++) {
      columns[v - 1] = v;
      columns[n - 2 + v] = 0;
      pointers[v + 1] = n - 1L + v;
    }
    pointers[1] = n - 1L;
    return CsrMatrix.of(Arena.ofAuto(), n, pointers, columns, null);
  }

  @Test
  void starOnFourRanks() {
    ExchangeVolume volume =
        ExchangeVolume.of(star(8), Placement.block(8, 4), Kind.SPARSITY_AWARE, 1);
    assertThat(volume.rowsSent(0)).isEqualTo(3);
    assertThat(volume.rowsSent(3)).isEqualTo(2);
    assertThat(volume.rowsReceived(0)).isEqualTo(6);
    assertThat(volume.messages(0, 10)).isEqualTo(3);
    assertThat(volume.totalMessages(10)).isEqualTo(6);
    assertThat(volume.totalBytes(10)).isEqualTo(9 * 40);
    assertThat(volume.averageBytes(10)).isEqualTo(90);
    assertThat(volume.maximumBytes(10)).isEqualTo(120);
    assertThat(volume.imbalancePercent(10)).isCloseTo(100 / 3.0, offset(1e-9));
    assertThat(volume.largestPair()).isEqualTo(2);
    assertThat(volume.formulaSeconds(10, 1, 0.5)).isEqualTo(3 + 3 * 2 * 40 * 0.5);
    // The centre's rank sends a row to each of three, and receives two from each.
    assertThat(volume.mostRowsReceived()).isEqualTo(6);
    assertThat(volume.bytesReceived(0, 10)).isEqualTo(240);
    assertThat(volume.messagesReceived(0, 10)).isEqualTo(3);
    assertThat(volume.linkSeconds(10, 1, 0.5)).isEqualTo(3 + 240 * 0.5);
  }

  @Test
  void starOnEightRanksWithReplication() {
    Placement placement = Placement.block(8, 4);
    ExchangeVolume aware = ExchangeVolume.of(star(8), placement, Kind.SPARSITY_AWARE, 2);
    assertThat(aware.ranks()).isEqualTo(8);
    // Blocks 0 and 1 travel in column 0, blocks 2 and 3 in column 1.
    assertThat(new long[] {aware.rowsSent(0), aware.rowsSent(2), aware.rowsSent(5)})
        .containsExactly(3, 2, 2);
    assertThat(aware.rowsSent(1) + aware.rowsSent(3) + aware.rowsSent(4)).isZero();
    // Two rows of five columns: each replica sends five elements away and five back.
    assertThat(aware.reduceBytes(0, 5)).isEqualTo(40);
    assertThat(aware.messages(1, 5)).isEqualTo(2);
    assertThat(aware.formulaSeconds(5, 1, 0.5)).isEqualTo(2 + 2 * 2 * 20 * 0.5 + 2 + 20);
    ExchangeVolume oblivious = ExchangeVolume.of(star(8), placement, Kind.OBLIVIOUS, 2);
    assertThat(oblivious.rowsSent(0)).isEqualTo(6);
    assertThat(oblivious.rowsSent(1)).isZero();
    assertThat(oblivious.formulaSeconds(5, 1, 0.5)).isEqualTo(4 + 2 * 2 * 20 * 0.5 + 2 + 20);
  }

  @ParameterizedTest
  @CsvSource({"16,1", "16,2", "100,1", "36,3"})
  void equalsTheNumberOfDistinctPairs(int ranks, int c) {
    SpreadGraph graph = SpreadGraph.of(300, 900, true, false, 11);
    CsrMatrix a = graph.propagation().forward();
    Placement placement = graph.unevenPlacement(ranks / c, 5);
    ExchangeVolume volume = ExchangeVolume.of(a, placement, Kind.SPARSITY_AWARE, c);
    RowDistribution d = placement.distribution();
    long[] sent = new long[ranks];
    Set<Long> seen = new HashSet<>();
    for (int v = 0; v < 300; v++) {
      int i = d.owner(placement.newId(v));
      for (int u : a.rowColumns(v)) {
        int q = d.owner(placement.newId(u));
        if (q != i && seen.add((long) i << 32 | u)) {
          sent[q * c + q / (ranks / c / c)]++;
        }
      }
    }
    assertThat(sent).isNotEqualTo(new long[ranks]);
    for (int rank = 0; rank < ranks; rank++) {
      assertThat(volume.rowsSent(rank)).isEqualTo(sent[rank]);
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThatThrownBy(() -> ExchangeVolume.of(star(8), Placement.block(7, 2), Kind.OBLIVIOUS, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("7 vertices are placed");
    assertThatThrownBy(() -> ExchangeVolume.of(star(8), Placement.block(8, 3), Kind.OBLIVIOUS, 2))
        .hasMessageContaining("6 ranks with replication 2");
  }
}
