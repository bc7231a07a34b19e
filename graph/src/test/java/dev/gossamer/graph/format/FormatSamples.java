package dev.gossamer.graph.format;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// One small graph in each raw format, for tests of other modules.
///
/// Graphs with labels have few vertices of two or three classes; those without are paths and
/// cycles.
public final class FormatSamples {
  private static final int CYCLE = 12;

  private FormatSamples() {}

  /// Writes one file or folder of each raw format that this module reads.
  ///
  /// @param folder an empty one
  /// @return what was written, by names that say the format
  public static List<Path> writeTo(Path folder) {
    List<Path> all = new ArrayList<>();
    all.add(SmallFiles.npz(folder.resolve("pairs.npz"), SmallFiles.sparsePairs(), true));
    all.add(SmallFiles.npz(folder.resolve("masks.npz"), SmallFiles.edgesAndMasks(), false));
    all.add(SmallFiles.npz(folder.resolve("weights.npz"), SmallFiles.weightedEdges(), true));
    for (String format : List.of("csr", "csc", "coo")) {
      all.add(SmallFiles.npz(folder.resolve(format + ".npz"), SmallFiles.scipy(format), true));
    }
    all.add(
        SmallFiles.text(
            folder.resolve("snap.txt"), "# Nodes: 12 Edges: 12\n" + cycle("1%d\t1%d\n")));
    all.add(SmallFiles.reddit(folder.resolve("reddit")));
    all.add(SmallFiles.graphSaint(folder.resolve("graphsaint")));
    all.add(SmallFiles.ogb(folder.resolve("ogb"), "time"));
    all.add(SmallFiles.ogbArrays(folder.resolve("ogb-arrays")));
    all.add(SmallFiles.ogbTyped(folder.resolve("ogb-typed")));
    all.add(SmallFiles.citations(folder.resolve("cora")));
    all.add(SmallFiles.musae(folder.resolve("musae")));
    all.add(SmallFiles.twitch(folder.resolve("twitch")));
    all.add(SmallFiles.planetoid(folder.resolve("planetoid")));
    all.add(
        SmallFiles.text(
            folder.resolve("edges.csv"), "source,target,weight\n" + cycle("%d,%d,1.5\n")));
    all.add(SmallFiles.bytes(folder.resolve("names.tsv.gz"), SmallFiles.gzip(cycle("v%d\tv%d\n"))));
    all.add(SmallFiles.text(folder.resolve("cycle.graph"), metis()));
    all.add(
        SmallFiles.text(
            folder.resolve("cycle.mtx"),
            "%%MatrixMarket matrix coordinate real symmetric\n"
                + "%d %d %d\n".formatted(CYCLE, CYCLE, CYCLE)
                + "2 1 1.5\n12 1 1.5\n"
                + downwards()));
    all.add(
        SmallFiles.text(
            folder.resolve("cycle.gr"),
            "c by hand\np sp %d %d\n".formatted(CYCLE, CYCLE) + fromOne("a %d %d 3\n")));
    return all;
  }

  private static String cycle(String line) {
    StringBuilder text = new StringBuilder();
    for (int v = 0; v < CYCLE; v++) {
      text.append(line.formatted(v, (v + 1) % CYCLE));
    }
    return text.toString();
  }

  private static String fromOne(String line) {
    StringBuilder text = new StringBuilder();
    for (int v = 0; v < CYCLE; v++) {
      text.append(line.formatted(v + 1, (v + 1) % CYCLE + 1));
    }
    return text.toString();
  }

  /// The lower triangle but for the two entries of the first column.
  private static String downwards() {
    StringBuilder text = new StringBuilder();
    for (int v = 2; v < CYCLE; v++) {
      text.append("%d %d 1.5\n".formatted(v + 1, v));
    }
    return text.toString();
  }

  private static String metis() {
    StringBuilder text = new StringBuilder("%d %d\n".formatted(CYCLE, CYCLE));
    for (int v = 0; v < CYCLE; v++) {
      text.append((v + CYCLE - 1) % CYCLE + 1).append(' ').append((v + 1) % CYCLE + 1).append('\n');
    }
    return text.toString();
  }
}
