package dev.gossamer.graph.format;

/// Dense features in a file, for one pass.
interface FileRows extends FeatureRows, AutoCloseable {
  @Override
  void close();
}
