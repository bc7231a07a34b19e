package dev.gossamer.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementTest {
  @Test
  void ownersAreFoundAmongEmptyBlocks() {
    RowDistribution d = RowDistribution.ofCounts(0, 3, 0, 0, 2, 0);
    assertThat(IntStream.range(0, 5).map(d::owner)).containsExactly(1, 1, 1, 4, 4);
    assertThat(d.largest()).isEqualTo(3);
    assertThatThrownBy(() -> d.owner(5)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(RowDistribution.even(7, 3)).isEqualTo(RowDistribution.ofCounts(3, 2, 2));
  }

  @Test
  void partsKeepTheOrderOfOldIds() {
    Placement placement = Placement.of(new int[] {2, 0, 2, 0, 3}, 4);
    assertThat(IntStream.range(0, 5).map(placement::oldId)).containsExactly(1, 3, 0, 2, 4);
    assertThat(IntStream.range(0, 5).map(placement::newId)).containsExactly(2, 0, 3, 1, 4);
    assertThat(placement.distribution()).isEqualTo(RowDistribution.ofCounts(2, 0, 2, 1));
    assertThat(placement.members(2)).containsExactly(0, 2);
    assertThatThrownBy(() -> Placement.of(new int[] {0, 4}, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("vertex 1 is in part 4");
  }

  @Test
  void randomPlacementDependsOnTheSeedOnly() {
    int n = 1000;
    Placement placement = Placement.random(n, 4, 1);
    int[] ids = IntStream.range(0, n).map(placement::oldId).toArray();
    assertThat(IntStream.of(ids).sorted().toArray())
        .containsExactly(IntStream.range(0, n).toArray());
    assertThat(IntStream.range(0, n).map(Placement.random(n, 7, 1)::oldId).toArray())
        .containsExactly(ids);
    assertThat(IntStream.range(0, n).map(Placement.random(n, 4, 2)::oldId).toArray())
        .isNotEqualTo(ids);
    assertThat(IntStream.range(0, n).map(v -> placement.newId(placement.oldId(v))).toArray())
        .containsExactly(IntStream.range(0, n).toArray());
    // A fixed point is expected once; twenty would mean that little was permuted.
    assertThat(IntStream.range(0, n).filter(v -> ids[v] == v).count()).isLessThan(20);
  }

  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "true,true"})
  void blockRowsAreRowsOfThePermutedMatrix(boolean directed, boolean weighted) {
    SpreadGraph graph = SpreadGraph.of(40, 150, directed, weighted, 3);
    Placement placement = graph.unevenPlacement(5, 8);
    CsrMatrix a = graph.propagation().forward();
    float[][] dense = a.toDense();
    float[][] transposed = graph.propagation().backward().toDense();
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < 5; i++) {
        PropagationRows rows = placement.blockRows(arena, graph.rule(), i);
        assertThat(rows.forward() == rows.backward()).isEqualTo(!directed);
        assertThat(rows.forward().isCanonical()).isTrue();
        int[] members = placement.members(i);
        assertThat(rows.forward().rows()).isEqualTo(members.length);
        for (int r = 0; r < members.length; r++) {
          for (int j = 0; j < 40; j++) {
            int old = placement.oldId(j);
            assertThat(rows.forward().toDense()[r][j]).isEqualTo(dense[members[r]][old]);
            assertThat(rows.backward().toDense()[r][j]).isEqualTo(transposed[members[r]][old]);
          }
        }
      }
    }
  }
}
