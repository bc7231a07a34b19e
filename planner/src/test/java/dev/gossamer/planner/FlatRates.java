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
        new Link(2e-6, 4e9),
        new Link(30e-6, 1.25e9),
        new FlatRates());
  }
}
