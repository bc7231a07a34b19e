package dev.gossamer.planner;

/// Rates that do not depend on sizes, and threads that share work without loss.
record FlatRates() implements Rates {
  @Override
  public double matmul(long rows, int in, int out, int threads) {
    return 2.0 * rows * in * out / 10e9 / threads;
  }

  @Override
  public double spmm(long rows, long entries, int width, int threads) {
    return 4.0 * (rows + entries) * width / 5e9 / threads;
  }

  @Override
  public double attention(long rows, long edges, int heads, int width, int threads) {
    return 3 * spmm(rows, edges, width, threads);
  }

  @Override
  public double dropout(double elements, int threads) {
    return stream(Float.BYTES * elements, threads);
  }

  @Override
  public double sparseDropout(double entries, int threads) {
    return 10 * dropout(entries, threads);
  }

  @Override
  public double loss(double rows, int classes, int threads) {
    return stream(2 * Float.BYTES * rows * classes, threads);
  }

  @Override
  public double transpose(double entries, int threads) {
    return entries / 100e6 / threads;
  }

  @Override
  public double stream(double bytes, int threads) {
    return bytes / 8e9 / threads;
  }

  @Override
  public double sampling(double edges, int threads) {
    return edges / 20e6 / threads;
  }

  @Override
  public double gather(double rows, int rowBytes, int threads) {
    return rows * rowBytes / 4e9 / threads;
  }

  /// Nodes of two cores that have so many ranks.
  static Cluster cluster(int nodes, int ranksPerNode) {
    return new Cluster(
        nodes,
        ranksPerNode,
        2,
        8L << 30,
        new LinkRates(2e-6, 4e9),
        new LinkRates(30e-6, 1.25e9),
        new FlatRates());
  }
}
