package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Split;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Small texts of the Open Graph Benchmark: counts, and the parts of a split.
final class OgbTexts {
  /// How the names of texts end.
  static final String ENDING = ".csv.gz";

  /// A line for each edge: its source and its target.
  static final String EDGES = "edge" + ENDING;

  /// The number of edges.
  static final String EDGE_COUNT = "num-edge-list" + ENDING;

  /// A line of numbers for each vertex.
  static final String FEATURES = "node-feat" + ENDING;

  /// A line for each vertex: its class, or 1 or 0 for each of several labels.
  static final String LABELS = "node-label" + ENDING;

  private static final List<Map.Entry<String, Split>> PARTS =
      List.of(
          Map.entry("train", Split.TRAIN),
          Map.entry("valid", Split.VALIDATION),
          Map.entry("test", Split.TEST));

  private OgbTexts() {}

  /// The one number in a file.
  static long count(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      if (!in.nextLineWithout("")) {
        throw in.wrong("the number of one graph", "the end of the file");
      }
      in.rewind();
      long count = in.nextLong("the number of one graph", 0, Long.MAX_VALUE);
      in.requireEndOfLine();
      in.requireEndOfFile();
      return count;
    }
  }

  /// Checks the number of edges that were read.
  ///
  /// @param where they were, the start of the message
  static void requireEdges(String where, long found, long expected) {
    if (found != expected) {
      throw new InvalidInputException(
          "%s: expected %d edges, found %d".formatted(where, expected, found));
    }
  }

  /// Records as dropped the texts that are not read, each name once.
  ///
  /// @param files of a graph, texts and others
  /// @param read names of texts that are read, without the ending
  static void dropOthers(DatasetDraft draft, List<Path> files, Set<String> read) {
    files.stream()
        .map(file -> String.valueOf(file.getFileName()))
        .filter(name -> name.endsWith(ENDING))
        .sorted()
        .map(name -> name.substring(0, name.length() - ENDING.length()))
        .filter(name -> !read.contains(name))
        .distinct()
        .forEach(draft::dropped);
  }

  /// Reads the parts of some vertices: a file for each part, with a vertex on each line.
  ///
  /// @param folder of the files
  /// @param split of all vertices, which receives the codes of the parts
  /// @param first vertex of those that are numbered from 0 in the files
  /// @param count of these
  static void parts(Path folder, byte[] split, int first, int count) {
    for (Map.Entry<String, Split> part : PARTS) {
      try (FieldScanner in = new FieldScanner(folder.resolve(part.getKey() + ENDING))) {
        while (in.nextLineWithout("")) {
          int v = (int) in.nextLong("a vertex id", 0, count - 1L);
          in.requireEndOfLine();
          if (split[first + v] != Split.NONE.code()) {
            throw in.wrong("each vertex once, in one part", v + " again");
          }
          split[first + v] = part.getValue().code();
        }
      }
    }
  }
}
