package dev.gossamer.gnn.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.Workers;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeatureFetchTest {
  private static final int N = 3000;

  /// Batches that shrink, are empty, and grow beyond what came before.
  private static final int[] SIZES = {40, 7, 0, 2500, 1, 2999};

  private static void requireBatches(Features x, boolean ahead) {
    requireBatches(x, FeatureSource.whole(x), ahead);
  }

  private static void requireBatches(Features x, FeatureSource whole, boolean ahead) {
    try (Workers workers = new Workers(2);
        FeatureSource source = whole;
        FeatureFetch fetch =
            ahead ? FeatureFetch.ahead(source) : FeatureFetch.inTurn(source, workers)) {
      fetch.begin(Rows.batch(N, SIZES[0], 0));
      long rows = 0;
      for (int b = 0; b < SIZES.length; b++) {
        Features got = fetch.finish();
        if (b + 1 < SIZES.length) {
          fetch.begin(Rows.batch(N, SIZES[b + 1], b + 1));
        }
        Rows.requireRows(x, Rows.batch(N, SIZES[b], b), got);
        rows += SIZES[b];
      }
      assertThat(source.width()).isEqualTo(x.width());
      assertThat(source.counts().own()).isEqualTo(rows);
      assertThat(source.counts().rows()).isEqualTo(rows);
      assertThat(source.counts().bytes()).isZero();
      assertThat(source.counts().seconds()).isPositive();
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsComeInTheOrderOfTheBatch(boolean ahead) {
    for (int width : new int[] {1, 15, 16, 17, 100}) {
      requireBatches(Rows.dense(N, width), ahead);
    }
    requireBatches(Rows.sparse(N, 50, true), ahead);
    requireBatches(Rows.sparse(N, 50, false), ahead);
  }

  @Test
  void rowsOfMappedFilesAreTheSame(@TempDir Path folder) throws IOException {
    Features.Dense x = Rows.dense(N, 37);
    Path file = folder.resolve("features.npy");
    NpyFile.write(file, NpyFile.Type.FLOAT32, x.x().data(), N, 37);
    try (Arena arena = Arena.ofShared()) {
      NpyFile.Array mapped = NpyFile.map(arena, file, NpyFile.Type.FLOAT32, N, 37);
      assertThat(mapped.data().isMapped()).isTrue();
      Features.Dense rows = new Features.Dense(DenseMatrix.wrap(mapped.data(), N, 37));
      requireBatches(rows, true);
      // As if the machine had less memory than the file.
      requireBatches(rows, new WholeFeatures(rows, N * 37 * 3L), true);
    }
  }

  @Test
  void aBatchTakesNoMoreThanIsSaid() {
    int[] vertices = Rows.batch(N, 1000, 9);
    for (Features x :
        List.of(Rows.dense(N, 8), Rows.sparse(N, 50, true), Rows.sparse(N, 50, false))) {
      try (FeatureSource source = FeatureSource.whole(x);
          FetchedRows rows = new FetchedRows();
          Workers workers = new Workers(1)) {
        source.fetch(vertices, rows, workers);
        long taken = rows.features().segments().stream().mapToLong(MemorySegment::byteSize).sum();
        assertThat(taken).isPositive().isLessThanOrEqualTo(source.bytes(1000));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsWrongIsThrownWhereTheRowsAreWaitedFor(boolean ahead) {
    try (Workers workers = new Workers(1);
        FeatureSource source = FeatureSource.whole(Rows.dense(5, 2));
        FeatureFetch fetch =
            ahead ? FeatureFetch.ahead(source) : FeatureFetch.inTurn(source, workers)) {
      assertThatThrownBy(fetch::finish).hasMessage("fetch: finished without being started");
      fetch.begin(new int[] {4, 5});
      assertThatThrownBy(() -> fetch.begin(new int[] {1}))
          .hasMessage("fetch: started twice; finish the previous one first");
      assertThatThrownBy(fetch::finish)
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage("move: id 1 is 5 but the matrix is 5 x 2");
    }
    assertThatThrownBy(() -> FeatureSource.whole(new Features.None()))
        .hasMessage("features: expected features, found none");
  }
}
