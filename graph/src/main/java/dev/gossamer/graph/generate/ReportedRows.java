package dev.gossamer.graph.generate;

import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.FeatureRows;
import dev.gossamer.matrix.DenseMatrix;

/// Features that report the progress of their stream.
///
/// @param total vertices
record ReportedRows(FeatureRows rows, long total, Progress progress) implements FeatureRows {
  @Override
  public int width() {
    return rows.width();
  }

  @Override
  public void fill(long begin, DenseMatrix block) {
    rows.fill(begin, block);
    progress.at("writing features", begin + block.rows(), total);
  }
}
