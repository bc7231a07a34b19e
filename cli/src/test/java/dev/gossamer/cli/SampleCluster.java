package dev.gossamer.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Invented machines of two cores and two ranks each, as a file.
public final class SampleCluster {
  private SampleCluster() {}

  /// Writes the file.
  ///
  /// @param memory of a node, as `16g`
  public static void write(Path file, int nodes, String memory) throws IOException {
    Files.writeString(
        file,
        """
        nodes: %d
        ranks-per-node: 2
        cores-per-node: 2
        memory-per-node: %s
        inside: {latency: 2 us, bandwidth: 6 GB/s}
        between: {latency: 30 us, bandwidth: 10 Gbit/s}
        rates:
          threads: 2
          start: "200 ns, 5 us"
          matmul: {64 x 64: "40 GFLOP/s, 70 GFLOP/s"}
          matmul-ragged: {64 x 7: "20 GFLOP/s, 35 GFLOP/s"}
          weight-gradient: {64 x 64: "40 GFLOP/s, 70 GFLOP/s"}
          spmm: {2048 x 16 x 64: "10 ns, 6 ns"}
          spmm-ragged: {2048 x 16 x 41: "10 ns, 6 ns"}
          attention: {4096 x 16 x 4 x 64: "100 ns, 60 ns"}
          dropout: "1 ns, 500 ps"
          dropout-sparse: "14 ns, 7 ns"
          loss: {64: "150 ns, 80 ns"}
          stream: {1048576: "9 GB/s, 16 GB/s"}
          sampling: "60 ns, 35 ns"
          transpose: "9 ns, 5 ns"
          gather: {256: "60 ns, 35 ns"}
        """
            .formatted(nodes, memory));
  }
}
