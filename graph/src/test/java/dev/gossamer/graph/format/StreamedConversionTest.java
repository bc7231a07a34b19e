package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A graph in the layout of papers100M, smaller: 20,000 vertices, a million arcs.
class StreamedConversionTest {
  private static final int VERTICES = 20_000;
  private static final int ARCS = 1_000_000;
  private static final int WIDTH = 256;

  /// What is written at a time, and little things.
  private static final long BLOCKS = 9 << 20;

  @TempDir Path folder;

  private static float feature(long vertex, long feature) {
    return (float) ((vertex * 31 + feature * 7) % 1009);
  }

  private static Map<String, byte[]> arrays() {
    ByteBuffer ends = ByteBuffer.allocate(2 * ARCS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
    for (int i = 0; i < 2 * ARCS; i++) {
      ends.putLong(random.nextInt(VERTICES));
    }
    ByteBuffer x =
        ByteBuffer.allocate(VERTICES * WIDTH * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < VERTICES * WIDTH; i++) {
      x.putFloat(feature(i / WIDTH, i % WIDTH));
    }
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("edge_index", SmallFiles.npy("<i8", "(2, %d)".formatted(ARCS), ends.array()));
    members.put(
        "node_feat", SmallFiles.npy("<f4", "(%d, %d)".formatted(VERTICES, WIDTH), x.array()));
    members.put("num_nodes_list", SmallFiles.npy("<i8", "(1,)", SmallFiles.longs(VERTICES)));
    members.put("num_edges_list", SmallFiles.npy("<i8", "(1,)", SmallFiles.longs(ARCS)));
    return members;
  }

  private static byte[] labels() {
    float[] labels = new float[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      labels[v] = v % 70 == 0 ? v % 172 : Float.NaN;
    }
    return SmallFiles.npy("<f4", "(%d, 1)".formatted(VERTICES), SmallFiles.floats(labels));
  }

  @Tag("slow")
  @Test
  void needsTheMemoryOfTheGraphOnly() throws Exception {
    Path data = folder.resolve("papers");
    Map<String, byte[]> arrays = arrays();
    SmallFiles.npz(data.resolve("raw/data.npz"), arrays, false);
    SmallFiles.npz(data.resolve("raw/node-label.npz"), Map.of("node_label", labels()), true);
    SmallFiles.ogbParts(data, "time");
    Path target = folder.resolve("converted");

    ReaderMemory memory = ReaderMemory.ofConversion(data, target);

    long graph = CsrBuilder.undirected(VERTICES).peakBytes(ARCS);
    assertThat(graph).isLessThan((long) VERTICES * WIDTH * Float.BYTES);
    assertThat(memory.left()).isZero();
    assertThat(memory.most()).isLessThan(graph + BLOCKS);
    try (GraphData d = DatasetFolder.open(target)) {
      assertThat(d.labels()[140]).isEqualTo(140);
      assertThat(d.labels()[141]).isEqualTo(GraphData.UNLABELLED);
      assertThat(d.classes()).isLessThanOrEqualTo(172);
      DenseMatrix x = ((Features.Dense) d.features()).x();
      for (int v = 0; v < VERTICES; v++) {
        for (int f = 0; f < WIDTH; f++) {
          assertThat(x.get(v, f) == feature(v, f)).isTrue();
        }
      }
      ByteBuffer ends = ByteBuffer.wrap(arrays.get("edge_index")).order(ByteOrder.LITTLE_ENDIAN);
      int begin = ends.capacity() - 2 * ARCS * Long.BYTES;
      for (int e = 0; e < ARCS; e += 97) {
        int source = (int) ends.getLong(begin + e * Long.BYTES);
        int other = (int) ends.getLong(begin + (ARCS + e) * Long.BYTES);
        assertThat(source == other || d.adjacency().find(source, other) >= 0).isTrue();
        assertThat(source == other || d.adjacency().find(other, source) >= 0).isTrue();
      }
    }
  }
}
