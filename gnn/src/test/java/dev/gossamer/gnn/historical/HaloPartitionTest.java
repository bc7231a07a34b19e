package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class HaloPartitionTest {
  /// A ring of 9 with a chord, of which ranks have 4, 2 and 3 vertices.
  private static final int[][] NEIGHBOURS = {
    {1, 8}, {0, 2, 7}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}, {1, 6, 8}, {0, 7}
  };

  private static final RowDistribution BLOCKS = RowDistribution.ofCounts(4, 2, 3);

  private static CsrMatrix rows(Arena arena, int rank) {
    int count = BLOCKS.count(rank);
    long[] pointers = new long[count + 1];
    int[] columns = new int[24];
    int size = 0;
    for (int i = 0; i < count; i++) {
      for (int u : NEIGHBOURS[BLOCKS.begin(rank) + i]) {
        columns[size++] = u;
      }
      pointers[i + 1] = size;
    }
    return CsrMatrix.of(
        arena, NEIGHBOURS.length, pointers, java.util.Arrays.copyOf(columns, size), null);
  }

  @Test
  void haloVerticesAreTheOtherEndsOfCutEdges() {
    try (Arena arena = Arena.ofConfined()) {
      HaloPartition partition = new HaloPartition(4, rows(arena, 1));
      assertThat(partition.solids()).isEqualTo(2);
      assertThat(partition.halos()).containsExactly(3, 6);
      for (int id = 0; id < 4; id++) {
        assertThat(partition.partitionId(partition.originalId(id))).isEqualTo(id);
      }
      assertThat(partition.originalId(0)).isEqualTo(4);
      assertThat(partition.originalId(3)).isEqualTo(6);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> partition.partitionId(8))
          .withMessage(
              "partition: vertex 8 is neither solid (4 to 5) nor a neighbour of a solid vertex");
    }
  }

  @Test
  void theDirectoryNamesTheRanksThatHaveAVertexAsHalo() {
    Set<String> found = ConcurrentHashMap.newKeySet();
    Set<String> expected = new TreeSet<>();
    for (int v = 0; v < NEIGHBOURS.length; v++) {
      for (int u : NEIGHBOURS[v]) {
        if (BLOCKS.owner(u) != BLOCKS.owner(v)) {
          expected.add("%d at %d".formatted(v, BLOCKS.owner(u)));
        }
      }
    }
    ThreadRanks.run(
        3,
        world -> {
          try (Arena arena = Arena.ofShared()) {
            int begin = BLOCKS.begin(world.rank());
            HaloPartition partition = new HaloPartition(begin, rows(arena, world.rank()));
            HaloDirectory directory =
                new HaloDirectory(world, BLOCKS, partition.solids(), partition.halos());
            for (int solid = 0; solid < partition.solids(); solid++) {
              for (int at = directory.begin(solid); at < directory.end(solid); at++) {
                found.add("%d at %d".formatted(begin + solid, directory.rank(at)));
              }
            }
          }
        });
    assertThat(found).isEqualTo(expected);
  }
}
