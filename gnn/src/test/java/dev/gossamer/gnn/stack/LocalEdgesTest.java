package dev.gossamer.gnn.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class LocalEdgesTest {
  private static final int HEADS = 2;
  private static final int WIDTH = 3;
  private final Arena arena = Arena.ofAuto();

  /// What a sampler gives a weight of 3 counts as three edges alike, whether the weight is that of
  /// an entry (GraphSAINT) or of a column (LADIES); the self loop that was not drawn counts once.
  /// Sums have at most six terms of about 1.
  @Test
  void attentionCountsAnEdgeByItsWeight() {
    float[] expected = attended(new EdgePattern(pattern(1, 1, 1, 2, 0)));
    MemorySegment columns = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 3, 1);
    MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 3, 1);
    MemorySegment ofRow = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 0.25f);
    CsrMatrix byColumn = pattern(1, 2).withScales(null, columns);
    CsrMatrix byEntry = pattern(1, 2).withValues(values).withScales(ofRow, null);
    for (CsrMatrix block : new CsrMatrix[] {byColumn, byEntry}) {
      LocalEdges edges = LocalEdges.ofBlock(arena, block, RowIds.from(0), true);
      float[] found = attended(edges.edges());
      for (int j = 0; j < expected.length; j++) {
        assertThat(found[j]).isCloseTo(expected[j], within(16 * Math.ulp(1f)));
      }
    }
    float[] alike =
        attended(LocalEdges.ofBlock(arena, pattern(1, 2), RowIds.from(0), true).edges());
    assertThat(alike).isNotEqualTo(expected);
    assertThat(alike).isEqualTo(attended(new EdgePattern(pattern(1, 2, 0))));
  }

  /// One target and three sources.
  private CsrMatrix pattern(int... columns) {
    return CsrMatrix.of(arena, 3, new long[] {0, columns.length}, columns, null);
  }

  private float[] attended(EdgePattern edges) {
    Attention attention = new Attention(HEADS, WIDTH);
    DenseMatrix z = DenseMatrix.allocate(arena, 3, HEADS * WIDTH);
    DenseMatrix vectors = DenseMatrix.allocate(arena, 2 * HEADS, WIDTH);
    for (int j = 0; j < HEADS * WIDTH; j++) {
      for (int i = 0; i < 3; i++) {
        z.set(i, j, (float) Math.sin(1 + 7 * i + 3 * j));
      }
      vectors.set(j % (2 * HEADS), j % WIDTH, (float) Math.cos(j));
    }
    DenseMatrix e = DenseMatrix.allocate(arena, 3, 2 * HEADS);
    DenseMatrix alpha = DenseMatrix.allocate(arena, edges.count(), HEADS);
    DenseMatrix y = DenseMatrix.allocate(arena, 1, HEADS * WIDTH);
    try (Workers workers = new Workers(1)) {
      Epilogues.apply(attention.scores(vectors.data(), e), z, workers);
      attention.forward(edges, z, e, alpha, y, null, RowIds.from(0), workers, RowEpilogue.NONE);
    }
    return y.toArray()[0];
  }
}
