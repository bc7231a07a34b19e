package dev.gossamer.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionQualityTest {
  /// Path 0 - 1 - 2 - 3 - 4, parts {0, 1}, {2, 4}, {3}: 1 sends to 1; 2 to 0 and 2; 3 to 1; 4 to 2.
  @Test
  void countsAPathByHand() {
    CsrMatrix path =
        Graphs.of(5, new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 3}, new int[] {3, 4});
    Partition partition = Partition.of(new int[] {0, 0, 1, 2, 1}, 3);
    PartitionRequest request = PartitionRequest.of(path, 3, 1).withTraining(v -> v < 2);

    PartitionQuality quality = PartitionQuality.of(request, partition);

    assertThat(quality.edgeCut()).isEqualTo(3);
    assertThat(quality.totalVolume()).isEqualTo(5);
    assertThat(quality.maxSend()).isEqualTo(3);
    assertThat(quality.maxReceive()).isEqualTo(2);
    assertThat(quality.maxMessages()).isEqualTo(2);
    assertThat(quality.vertexImbalance()).isEqualTo(2.0 * 3 / 5 - 1);
    assertThat(quality.nonzeroImbalance()).isEqualTo(3.0 * 3 / 8 - 1);
    assertThat(quality.trainingImbalance()).isEqualTo(2.0 * 3 / 2 - 1);
  }

  @Test
  void aDirectedGraphCountsAsItsSymmetrisedPattern() {
    CsrMatrix directed =
        CsrMatrix.of(Arena.ofAuto(), 3, new long[] {0, 2, 2, 3}, new int[] {0, 1, 0}, null);
    CsrMatrix undirected = Graphs.of(3, new int[] {0, 1}, new int[] {0, 2});
    Partition partition = Partition.of(new int[] {0, 1, 1}, 2);

    assertThat(PartitionQuality.of(PartitionRequest.of(directed, 2, 1), partition))
        .isEqualTo(PartitionQuality.of(PartitionRequest.of(undirected, 2, 1), partition));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 64, 100})
  void equalsTheDefinitionOnAPowerLawGraph(int k) {
    CsrMatrix graph = Graphs.rmat(500, 7);
    PartitionRequest request = PartitionRequest.of(graph, k, 3);
    Partition partition = Partition.of(scattered(500, k), k);
    long[] send = new long[k];
    long[] receive = new long[k];
    for (int v = 0; v < 500; v++) {
      Set<Integer> others = new HashSet<>();
      for (int u : graph.rowColumns(v)) {
        others.add(partition.part(u));
      }
      others.remove(partition.part(v));
      send[partition.part(v)] += others.size();
      others.forEach(q -> receive[q]++);
    }

    PartitionQuality quality = PartitionQuality.of(request, partition);

    assertThat(quality.totalVolume()).isEqualTo(Arrays.stream(send).sum());
    assertThat(quality.maxSend()).isEqualTo(Arrays.stream(send).max().orElseThrow());
    assertThat(quality.maxReceive()).isEqualTo(Arrays.stream(receive).max().orElseThrow());
  }

  @Test
  void refusesAnotherNumberOfVertices() {
    PartitionRequest request = PartitionRequest.of(Graphs.star(4), 2, 1);
    assertThatThrownBy(() -> PartitionQuality.of(request, Partition.of(new int[3], 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4 vertices")
        .hasMessageContaining("has 3");
  }

  private static int[] scattered(int n, int k) {
    int[] part = new int[n];
    Arrays.setAll(part, v -> (v * 7919 + v / 3) % k);
    return part;
  }
}
