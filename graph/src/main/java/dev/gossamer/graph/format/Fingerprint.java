package dev.gossamer.graph.format;

import dev.gossamer.base.io.SegmentPieces;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A hash of the content of a data set: equal fingerprints mean equal data.
///
/// SHA-256 over these sections in this order, each as one ASCII letter, its number of bytes (int64,
/// little-endian), and its bytes as stored in the data set folder:
///
/// `P` row pointers, `C` column ids, `W` edge weights, `D` dense features or `Q`, `J`, `V` row
/// pointers, column ids and values of sparse features, `L` labels, `M` several labels or `R`
/// numbers of each vertex, `N` vertex names, each followed by a line feed, `T` types: a line with
/// number and name for each of vertices, and one with the name for each of edges, `E` the types of
/// each entry, `S` the time of each entry, `F` the features of each entry. Missing sections are
/// left out. The split, the class names, the name and the provenance are not included: a graph with
/// another split has the same fingerprint.
public final class Fingerprint {
  private final MessageDigest digest;

  private Fingerprint(MessageDigest digest) {
    this.digest = digest;
  }

  /// {@return the fingerprint as 64 lower-case hexadecimal digits}. Cost: one pass over the data.
  ///
  /// @param d a data set
  public static String of(GraphData d) {
    Objects.requireNonNull(d, "d");
    Fingerprint print = new Fingerprint(Sha256.digest());
    print.matrix(d.adjacency(), 'P', 'C', 'W');
    switch (d.features()) {
      case Features.None none -> {}
      case Features.Dense dense -> print.section('D', dense.x().data());
      case Features.Sparse sparse -> print.matrix(sparse.x(), 'Q', 'J', 'V');
    }
    if (d.labels().length > 0) {
      print.section('L', MemorySegment.ofArray(d.labels()));
    }
    Targets targets = d.targets();
    if (targets != null) {
      print.section(targets.task() == Task.REGRESSION ? 'R' : 'M', targets.values().data());
    }
    print.names('N', d.vertexNames());
    print.types(d.types());
    EdgeTimes times = d.times();
    if (times != null) {
      print.section('S', times.values());
    }
    EdgeFeatures ofEdges = d.edgeFeatures();
    if (ofEdges != null) {
      print.section('F', ofEdges.x().data());
    }
    return HexFormat.of().formatHex(print.digest.digest());
  }

  private void matrix(CsrMatrix m, char pointers, char columns, char values) {
    section(pointers, m.rowPointers());
    section(columns, m.columns());
    MemorySegment stored = m.values();
    if (stored != null) {
      section(values, stored);
    }
  }

  private void section(char letter, MemorySegment data) {
    start(letter, data.byteSize());
    SegmentPieces.forEach(data, (piece, length) -> digest.update(piece, 0, length));
  }

  private void types(@Nullable GraphTypes types) {
    if (types == null) {
      return;
    }
    names(
        'T',
        Stream.concat(
                types.vertices().stream().map(type -> type.count() + " " + type.name()),
                types.edges().stream())
            .toList());
    MemorySegment masks = types.masks();
    if (masks != null) {
      section('E', masks);
    }
  }

  private void names(char letter, @Nullable List<String> names) {
    if (names == null) {
      return;
    }
    long bytes = 0;
    for (String name : names) {
      bytes += name.getBytes(StandardCharsets.UTF_8).length + 1;
    }
    start(letter, bytes);
    for (String name : names) {
      digest.update(name.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) '\n');
    }
  }

  private void start(char letter, long bytes) {
    ByteBuffer head = ByteBuffer.allocate(1 + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    digest.update(head.put((byte) letter).putLong(bytes).array());
  }
}
