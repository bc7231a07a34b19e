package dev.gossamer;

import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.Rates;

/// A gigabyte, or a billion operations, a second; threads share without loss.
record PlainRates() implements Rates {
  /// @param bandwidth bytes a second between nodes
  static Cluster cluster(int nodes, int ranks, long memory, double bandwidth) {
    return new Cluster(
        nodes,
        ranks,
        ranks,
        memory,
        new LinkRates(1e-6, 1e10),
        new LinkRates(1e-5, bandwidth),
        new PlainRates());
  }

  @Override
  public double matmul(long rows, int in, int out, int threads) {
    return 1e-9 * rows * in * out / threads;
  }

  @Override
  public double spmm(long rows, long entries, int width, int threads) {
    return 1e-9 * (rows + entries) * width / threads;
  }

  @Override
  public double attention(long rows, long edges, int heads, int width, int threads) {
    return 3e-9 * edges * width / threads;
  }

  @Override
  public double dropout(double elements, int threads) {
    return 1e-9 * elements / threads;
  }

  @Override
  public double sparseDropout(double entries, int threads) {
    return 1e-8 * entries / threads;
  }

  @Override
  public double loss(double rows, int classes, int threads) {
    return 1e-9 * rows * classes / threads;
  }

  @Override
  public double transpose(double entries, int threads) {
    return 1e-8 * entries / threads;
  }

  @Override
  public double stream(double bytes, int threads) {
    return 1e-9 * bytes / threads;
  }

  @Override
  public double sampling(double edges, int threads) {
    return 1e-8 * edges / threads;
  }

  @Override
  public double gather(double rows, int rowBytes, int threads) {
    return 1e-9 * rows * rowBytes / threads;
  }
}
