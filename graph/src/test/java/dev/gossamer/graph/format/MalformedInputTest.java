package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.concat;
import static dev.gossamer.graph.format.SmallFiles.delete;
import static dev.gossamer.graph.format.SmallFiles.doubles;
import static dev.gossamer.graph.format.SmallFiles.floats;
import static dev.gossamer.graph.format.SmallFiles.gzip;
import static dev.gossamer.graph.format.SmallFiles.ints;
import static dev.gossamer.graph.format.SmallFiles.longs;
import static dev.gossamer.graph.format.SmallFiles.npy;
import static dev.gossamer.graph.format.SmallFiles.read;
import static dev.gossamer.graph.format.SmallFiles.text;
import static dev.gossamer.graph.format.SmallFiles.truths;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What is wrong with a file is said in one line that names file, place, what was expected and what
/// was found; and a conversion that fails leaves nothing behind.
class MalformedInputTest {
  private static final String MM = "%%MatrixMarket matrix coordinate ";

  @TempDir Path folder;

  /// @param input makes the damaged input in a folder
  /// @param parts what the message must hold
  record Case(String name, UnaryOperator<Path> input, List<String> parts) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Case of(String name, UnaryOperator<Path> input, String... parts) {
    return new Case(name, input, List.of(parts));
  }

  /// A text file of that name.
  private static Case file(String name, String fileName, String text, String... parts) {
    return of(name, at -> text(at.resolve(fileName), text), parts);
  }

  private static Case binary(String name, String fileName, byte[] bytes, String... parts) {
    return of(name, at -> bytes(at.resolve(fileName), bytes), parts);
  }

  /// An npz file with one member replaced, or left out if there is no replacement.
  private static Case npz(
      String name, Map<String, byte[]> members, String member, byte[] array, String... parts) {
    if (array.length == 0) {
      members.remove(member);
    } else {
      members.put(member, array);
    }
    return of(name, at -> SmallFiles.npz(at.resolve("g.npz"), members, true), parts);
  }

  private static Case pairs(String name, String member, byte[] array, String... parts) {
    return npz(name, SmallFiles.sparsePairs(), member, array, parts);
  }

  private static Case scipy(
      String name, String format, String member, byte[] array, String... parts) {
    return npz(name, SmallFiles.scipy(format), member, array, parts);
  }

  private static Case masks(String name, String member, byte[] array, String... parts) {
    return npz(name, SmallFiles.edgesAndMasks(), member, array, parts);
  }

  /// A Planetoid folder with one file replaced.
  private static Case planetoid(String name, String suffix, byte[] content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.planetoid(at);
          bytes(at.resolve("ind.tiny." + suffix), content);
          return at;
        },
        parts);
  }

  private static Case musae(String name, String file, String content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.musae(at);
          text(at.resolve(file), content);
          return at;
        },
        parts);
  }

  private static Case twitch(String name, String file, String content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.twitch(at);
          text(at.resolve(file), content);
          return at;
        },
        parts);
  }

  /// A folder in the layout of DGL with one array replaced.
  private static Case reddit(String name, String member, byte[] array, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.reddit(at);
          Map<String, byte[]> members = SmallFiles.redditData();
          members.put(member, array);
          SmallFiles.npz(at.resolve("tiny_data.npz"), members, true);
          return at;
        },
        parts);
  }

  private static Case graphSaint(String name, String file, String content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.graphSaint(at);
          text(at.resolve(file), content);
          return at;
        },
        parts);
  }

  /// A folder of the Open Graph Benchmark with one text replaced.
  private static Case ogb(String name, String file, String content, String... parts) {
    return ogb(at -> SmallFiles.ogb(at, "time"), name, file, content, parts);
  }

  /// Such a folder with several types of vertices.
  private static Case ogbTyped(String name, String file, String content, String... parts) {
    return ogb(SmallFiles::ogbTyped, name, "raw/" + file, content, parts);
  }

  private static Case ogb(
      UnaryOperator<Path> written, String name, String file, String content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.ogbText(written.apply(at), file, content);
          return at;
        },
        parts);
  }

  /// A folder of the Open Graph Benchmark with one array replaced.
  private static Case ogbArrays(String name, String member, byte[] array, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.ogbArrays(at);
          Map<String, byte[]> members = SmallFiles.ogbData();
          members.put(member, array);
          SmallFiles.npz(at.resolve("raw/data.npz"), members, true);
          return at;
        },
        parts);
  }

  private static Case cora(String name, String file, String content, String... parts) {
    return of(
        name,
        at -> {
          SmallFiles.citations(at);
          text(at.resolve(file), content);
          return at;
        },
        parts);
  }

  /// A data set folder (a path of three vertices, 2 dense features) with one file replaced.
  private static Case dataset(String name, String file, byte[] content, String... parts) {
    return of(
        name,
        at -> {
          path(at, false);
          bytes(at.resolve(file), content);
          return at;
        },
        parts);
  }

  private static Case json(String name, String from, String to, String... parts) {
    return of(
        name,
        at -> {
          path(at, true);
          String text = new String(read(at.resolve("dataset.json")), StandardCharsets.UTF_8);
          assertThat(text).contains(from);
          return text(at.resolve("dataset.json"), text.replace(from, to)).getParent();
        },
        parts);
  }

  /// The good folders, written once: name and content of each file.
  private static final Map<String, byte[]> DENSE = files(false);

  private static final Map<String, byte[]> SPARSE = files(true);

  private static Map<String, byte[]> files(boolean sparse) {
    try {
      Path at = Files.createTempDirectory("good");
      write(at, sparse);
      Map<String, byte[]> files = new HashMap<>();
      for (Path file : Datasets.filesIn(at)) {
        files.put(String.valueOf(file.getFileName()), read(file));
        delete(file);
      }
      Files.delete(at);
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void path(Path at, boolean sparse) {
    (sparse ? SPARSE : DENSE).forEach((name, content) -> bytes(at.resolve(name), content));
  }

  private static void write(Path at, boolean sparse) {
    Arena arena = Arena.ofShared();
    CsrMatrix a =
        new CsrBuilder(3, true, false, true)
            .build(
                arena,
                sink -> {
                  sink.arc(0, 1, 2f);
                  sink.arc(1, 2, 3f);
                });
    Features x =
        sparse
            ? new Features.Sparse(
                CsrMatrix.of(
                    arena, 2, new long[] {0, 1, 1, 2}, new int[] {0, 1}, new float[] {1, 2}))
            : new Features.Dense(DenseMatrix.allocate(arena, 3, 2));
    GraphData.Info info = new GraphData.Info("p", false, List.of("a", "b"), false, Map.of(), null);
    try (GraphData d =
        GraphData.of(arena, info, a)
            .withFeatures(x)
            .withLabels(new int[] {0, 1, -1})
            .withSplit(new byte[] {1, 2, 3})
            .withVertexNames(List.of("u", "v", "w"))
            .withTypes(
                new GraphTypes(
                    List.of(new GraphTypes.OfVertices("t", 3)),
                    List.of("e", "f"),
                    arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3, 1)))
            .withTimes(
                new EdgeTimes(
                    EdgeTimes.Unit.DATES, arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 5, 5, 7, 7)))
            .withEdgeFeatures(
                new EdgeFeatures(
                    DenseMatrix.of(arena, new float[][] {{5, 1}, {5, 1}, {7, 2}, {7, 2}}),
                    List.of("amount", "kind")))) {
      DatasetFolder.write(at, d);
    }
  }

  static Stream<Case> folders() {
    return Stream.of(
        dataset(
            "unknown types",
            "edge_types.npy",
            npy("<i4", "(4,)", ints(1, 2, 4, 1)),
            "edge_types.npy: element 2: expected bits of 2 types, found 4"),
        dataset(
            "no types",
            "edge_types.npy",
            npy("<i4", "(4,)", ints(1, 0, 3, 1)),
            "edge_types.npy: element 1: expected bits of 2 types, found 0"),
        dataset(
            "a time that is none",
            "edge_times.npy",
            npy("<f8", "(4,)", doubles(5, 5, 7, Double.POSITIVE_INFINITY)),
            "edge_times.npy: element 3: expected a finite number, found Infinity"),
        dataset(
            "times of one edge that differ",
            "edge_times.npy",
            npy("<f8", "(4,)", doubles(5, 5, 86400, 0)),
            "edge_times.npy: edge 1 -> 2: expected the time of the same edge back, as the graph is undirected, found 1970-01-02 instead of 1970-01-01"),
        dataset(
            "a feature of an edge that is none",
            "edge_features.npy",
            npy("<f4", "(4, 2)", floats(5, 1, 5, 1, 7, Float.NaN, 7, 2)),
            "edge_features.npy: edge 1 -> 2, feature 1: expected a finite number, found NaN"),
        dataset(
            "features of one edge that differ",
            "edge_features.npy",
            npy("<f4", "(4, 2)", floats(5, 1, 5, 3, 7, 2, 7, 2)),
            "edge_features.npy: edge 0 -> 1: expected the features of the same edge back, as the graph is undirected, found others"),
        dataset(
            "features of fewer edges",
            "edge_features.npy",
            npy("<f4", "(3, 2)", floats(5, 1, 5, 1, 7, 2)),
            "edge_features.npy: header: expected shape (4, 2), found (3, 2)"),
        dataset(
            "too few names of features of edges",
            "edge_features.txt",
            "amount\n".getBytes(StandardCharsets.UTF_8),
            "edge_features.txt: expected 2 lines, one per feature of edges, found 1"),
        dataset(
            "descending pointers",
            "row_ptr.npy",
            npy("<i8", "(4,)", longs(0, 3, 1, 4)),
            "row_ptr.npy: element 2: expected at least 3, found 1"),
        dataset(
            "pointers not from 0",
            "row_ptr.npy",
            npy("<i8", "(4,)", longs(1, 1, 3, 4)),
            "row_ptr.npy: element 0: expected 0, found 1"),
        dataset(
            "pointers past the end",
            "row_ptr.npy",
            npy("<i8", "(4,)", longs(0, 1, 3, 9)),
            "row_ptr.npy: element 3: expected 4, the number of stored entries, found 9"),
        dataset(
            "too few pointers",
            "row_ptr.npy",
            npy("<i8", "(3,)", longs(0, 1, 4)),
            "row_ptr.npy: header: expected shape (4,), found (3,)"),
        dataset(
            "wrong type",
            "row_ptr.npy",
            npy("<i4", "(4,)", ints(0, 1, 3, 4)),
            "row_ptr.npy: header: expected little-endian '<i8', found '<i4'; rewrite with"
                + " arr.astype('<i8')"),
        dataset(
            "big-endian",
            "labels.npy",
            npy(">i4", "(3,)", ints(0, 0, 0)),
            "labels.npy: header: expected little-endian '<i4', found '>i4'; rewrite with"
                + " arr.astype('<i4')"),
        dataset(
            "truncated array in Fortran order",
            "features.npy",
            SmallFiles.npyHeader(
                "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", new byte[20]),
            "features.npy: expected 6 elements of 4 bytes for shape [3, 2], found 20 bytes"),
        dataset(
            "other shape in Fortran order",
            "features.npy",
            SmallFiles.npyHeader(
                "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", new byte[24]),
            "features.npy: header: expected shape (3, 2), found (2, 3)"),
        dataset(
            "truncated array",
            "features.npy",
            npy("<f4", "(3, 2)", new byte[20]),
            "features.npy: data: expected 6 elements of 4 bytes for shape (3, 2), found 20 bytes;"
                + " the file is truncated"),
        dataset(
            "bytes after the array",
            "features.npy",
            npy("<f4", "(3, 2)", new byte[28]),
            "features.npy: data: expected 6 elements of 4 bytes for shape (3, 2), found 28 bytes"),
        dataset(
            "truncated header",
            "labels.npy",
            Arrays.copyOf(npy("<i4", "(3,)", ints(0, 0, 0)), 40),
            "labels.npy: header: expected 118 bytes, found 30; the file is truncated"),
        dataset(
            "empty array file",
            "split.npy",
            new byte[0],
            "split.npy: byte 0: expected the magic bytes \\x93NUMPY of a .npy file, found the end"),
        dataset(
            "other magic",
            "split.npy",
            "PK zip".getBytes(StandardCharsets.UTF_8),
            "split.npy: byte 0: expected the magic bytes",
            "found 0x50"),
        dataset(
            "unknown version",
            "split.npy",
            new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 9, 0, 4, 0},
            "split.npy: byte 6: expected .npy version 1, 2 or 3, found 9"),
        dataset(
            "header is not a dictionary",
            "split.npy",
            SmallFiles.npyHeader("import os\nos.remove('x')", new byte[3]),
            "split.npy: header: expected {'descr': ..., 'fortran_order': ..., 'shape': (...), },"
                + " found import os os.remove('x')"),
        dataset(
            "hostile shape",
            "features.npy",
            npy("<f4", "(4294967296, 4294967296)", new byte[0]),
            "features.npy: header: expected shape (3, 2), found (4294967296, 4294967296)"),
        dataset(
            "column id is n",
            "col_idx.npy",
            npy("<i4", "(4,)", ints(1, 0, 3, 1)),
            "col_idx.npy: element 2: expected a column id in 0..2, found 3"),
        dataset(
            "negative column id",
            "col_idx.npy",
            npy("<i4", "(4,)", ints(-1, 0, 2, 1)),
            "col_idx.npy: element 0: expected a column id in 0..2, found -1"),
        dataset(
            "columns not sorted",
            "col_idx.npy",
            npy("<i4", "(4,)", ints(1, 2, 0, 1)),
            "col_idx.npy: element 2: expected more than 2, ids ascend in a row, found 0"),
        dataset(
            "an edge without its mirror image",
            "col_idx.npy",
            npy("<i4", "(4,)", ints(2, 0, 2, 1)),
            "col_idx.npy: edge 0 -> 2: expected the same edge back, as the graph is undirected,"
                + " found none"),
        dataset(
            "another weight back",
            "edge_values.npy",
            npy("<f4", "(4,)", floats(2, 2, 3, 4)),
            "col_idx.npy: edge 1 -> 2: expected the same edge back",
            "found weight 4.0 instead of" + " 3.0"),
        dataset(
            "infinite weight",
            "edge_values.npy",
            npy("<f4", "(4,)", floats(2, 2, 3, Float.NEGATIVE_INFINITY)),
            "edge_values.npy: element 3: edge 2 -> 1: expected a finite weight, found -Infinity"),
        dataset(
            "NaN feature",
            "features.npy",
            npy("<f4", "(3, 2)", floats(0, 0, 0, 0, 0, Float.NaN)),
            "features.npy: vertex 2, feature 1: expected a finite number, found NaN"),
        dataset(
            "infinite feature",
            "features.npy",
            npy("<f4", "(3, 2)", floats(0, 0, Float.POSITIVE_INFINITY, 0, Float.NaN, 0)),
            "features.npy: vertex 1, feature 0: expected a finite number, found Infinity"),
        dataset(
            "label out of range",
            "labels.npy",
            npy("<i4", "(3,)", ints(0, 1, 2)),
            "labels.npy: element 2: expected a class in 0..1, or -1 for none, found 2"),
        dataset(
            "split code out of range",
            "split.npy",
            npy("|i1", "(3,)", truths(0, 4, 0)),
            "split.npy: element 1: expected 0 (none), 1 (train), 2 (validation) or 3 (test), found"
                + " 4"),
        dataset(
            "too few names",
            "vertices.txt",
            new byte[] {'a', '\n', 'b', '\n'},
            "vertices.txt: expected 3 lines, one per vertex, found 2"),
        dataset(
            "targets beside labels",
            "targets.npy",
            npy("<f4", "(3, 1)", floats(1, 2, 3)),
            "targets.npy: expected none without a task in dataset.json, found one"),
        dataset(
            "names are not UTF-8",
            "vertices.txt",
            new byte[] {'a', '\n', (byte) 0xff, '\n'},
            "vertices.txt: cannot read: expected UTF-8 text, found other bytes"),
        of(
            "missing array",
            at -> {
              path(at, false);
              delete(at.resolve("row_ptr.npy"));
              return at;
            },
            "row_ptr.npy: cannot read: no such file"),
        dataset(
            "duplicate key",
            "dataset.json",
            "{\"format\": \"gossamer-dataset\",\n\"name\": 1,\n\"name\": 2}"
                .getBytes(StandardCharsets.UTF_8),
            "dataset.json: line 3: Duplicate",
            "name"),
        dataset(
            "truncated JSON",
            "dataset.json",
            "{\"format\": ".getBytes(StandardCharsets.UTF_8),
            "dataset.json: line 1: Unexpected end-of-input"),
        dataset(
            "empty JSON",
            "dataset.json",
            new byte[0],
            "dataset.json: expected a JSON object, found nothing"),
        dataset(
            "weights of another length",
            "edge_values.npy",
            npy("<f4", "(3,)", floats(2, 2, 3)),
            "edge_values.npy: header: expected shape (4,), found (3,)"),
        json(
            "another format",
            "gossamer-dataset",
            "other",
            "dataset.json: format: expected \"gossamer-dataset\", found \"other\""),
        json(
            "a later version",
            "\"version\" : 1",
            "\"version\" : 2",
            "dataset.json: version: expected an integer in 1..1, found 2"),
        json(
            "too many vertices",
            "\"vertices\" : 3",
            "\"vertices\" : 2147483648",
            "dataset.json: vertices: expected an integer in 0..2147483647, found 2147483648"),
        json(
            "a flag that is a word",
            "\"directed\" : false",
            "\"directed\" : \"no\"",
            "dataset.json: directed: expected true or false, found \"no\""),
        json(
            "unknown key",
            "\"directed\"",
            "\"directd\"",
            "dataset.json: key 'directd': expected one of",
            "belong under provenance"),
        json(
            "times of another unit",
            "\"dates\"",
            "\"weeks\"",
            "dataset.json: edge_times: expected numbers or dates, found \"weeks\""),
        json(
            "no features of edges",
            "\"edge_features\" : 2",
            "\"edge_features\" : 0",
            "dataset.json: edge_features: expected an integer in 1..2147483647, found 0"),
        json(
            "classes without names",
            "\"classes\" : 2",
            "\"classes\" : 3",
            "dataset.json: classes: expected 2, the number of class_names, found 3"),
        json(
            "a class twice",
            "[ \"a\", \"b\" ]",
            "[ \"a\", \"a\" ]",
            "dataset.json: class_names: expected distinct names of classes, found a twice"),
        json(
            "nested too deeply",
            "\"provenance\" : {",
            "\"provenance\" : " + "[".repeat(600) + " {",
            "dataset.json: line ",
            ": expected at most 500 levels, numbers of 1000 digits and names of 50000 characters, found more"),
        json(
            "stored features that are fewer",
            "\"nnz\" : 2",
            "\"nnz\" : 3",
            "x_row_ptr.npy: element 3: expected 3, the number of stored entries, found 2"),
        json(
            "narrower features",
            "\"width\" : 2",
            "\"width\" : 1",
            "x_col_idx.npy: element 1: expected a column id in 0..0, found 1"));
  }

  static Stream<Case> archives() {
    return Stream.of(
        of(
            "truncated npz",
            at -> {
              Path file = SmallFiles.npz(at.resolve("g.npz"), SmallFiles.sparsePairs(), false);
              return bytes(file, Arrays.copyOf(read(file), 900));
            },
            "g.npz: expected a zip archive, found damage"),
        of(
            "bad checksum",
            at -> {
              Path file = SmallFiles.npz(at.resolve("g.npz"), SmallFiles.edgesAndMasks(), false);
              byte[] content = read(file);
              // The first member is stored: its first element follows two headers of known size.
              content[30 + "node_features.npy".length() + 128] ^= 1;
              return bytes(file, content);
            },
            "g.npz: node_features.npy: expected checksum",
            "the file is damaged"),
        scipy(
            "matrix of blocks",
            "csr",
            "format",
            npy("|S3", "()", "bsr".getBytes(StandardCharsets.US_ASCII)),
            "g.npz: format.npy: content: expected csr, csc or coo, found 'bsr'; save the matrix as"
                + " m.tocsr()"),
        scipy(
            "format that is no text",
            "csr",
            "format",
            npy("<i4", "()", ints(1)),
            "g.npz: format.npy: content: expected csr, csc or coo, found '<i4'"),
        scipy(
            "matrix that is not square",
            "coo",
            "shape",
            npy("<i8", "(2,)", longs(3, 4)),
            "g.npz: shape.npy: expected a square matrix, found 3 x 4"),
        scipy(
            "hostile number of vertices",
            "coo",
            "shape",
            npy("<i8", "(2,)", longs(2_000_000_000, 2_000_000_000)),
            "g.npz: shape.npy: expected at most",
            "found 2000000000; number them without gaps"),
        scipy(
            "coordinates of other lengths",
            "coo",
            "col",
            npy("<i4", "(2,)", ints(1, 2)),
            "g.npz: col.npy: header: expected 3 elements, as row has, found 2"),
        scipy(
            "coordinate outside of the matrix",
            "coo",
            "row",
            npy("<i4", "(3,)", ints(2, 3, 1)),
            "g.npz: row.npy: element 1: expected a vertex in 0..2, found 3"),
        scipy(
            "pointer that descends",
            "csc",
            "indptr",
            npy("<i4", "(4,)", ints(0, 2, 1, 3)),
            "g.npz: indptr.npy: element 2: expected a row pointer in 2..3, found 1"),
        scipy(
            "value that is not finite",
            "csr",
            "data",
            npy("<f4", "(3,)", floats(1, Float.NaN, 1)),
            "g.npz: data.npy: element 1: expected a finite weight, found NaN"),
        scipy(
            "unknown array",
            "csr",
            "extra",
            npy("<f4", "(1,)", floats(1)),
            "g.npz: extra.npy: expected one of _is_array, col, data",
            "found another"),
        pairs(
            "missing member",
            "adj_indices",
            new byte[0],
            "g.npz: expected a member adj_indices.npy, found adj_data.npy"),
        pairs(
            "neither layout",
            "adj_indptr",
            new byte[0],
            "g.npz: expected members edges.npy, adj_indptr.npy, or format.npy and shape.npy, found none"),
        pairs(
            "id is n",
            "adj_indices",
            npy("<i4", "(4,)", ints(1, 2, 3, 2)),
            "g.npz: adj_indices.npy: element 2: expected a vertex in 0..2, found 3"),
        pairs(
            "negative id",
            "adj_indices",
            npy("<i4", "(4,)", ints(1, 2, -1, 2)),
            "adj_indices.npy: element 2: expected a vertex in 0..2, found -1"),
        pairs(
            "descending pointers",
            "adj_indptr",
            npy("<i4", "(4,)", ints(0, 3, 2, 4)),
            "adj_indptr.npy: element 2: expected a row pointer in 3..4, found 2"),
        pairs(
            "fewer entries than said",
            "adj_indptr",
            npy("<i4", "(4,)", ints(0, 1, 2, 3)),
            "adj_indptr.npy: element 3: expected 4, as adj_indices has elements, found 3"),
        pairs(
            "rectangular",
            "adj_shape",
            npy("<i8", "(2,)", longs(3, 4)),
            "adj_shape.npy: expected a square matrix, found 3 x 4"),
        pairs(
            "hostile size",
            "adj_shape",
            npy("<i8", "(2,)", longs(2000000000, 2000000000)),
            "adj_shape.npy: expected at most",
            "found 2000000000; number them without gaps"),
        pairs(
            "fewer pointers than rows",
            "adj_shape",
            npy("<i8", "(2,)", longs(5, 5)),
            "adj_indptr.npy: header: expected 6 row pointers, as adj_shape says, found 4"),
        pairs(
            "hostile array",
            "adj_indices",
            npy("<i4", "(99999999999,)", ints(1)),
            "adj_indices.npy: expected 99999999999 elements of 4 bytes",
            "found"),
        pairs(
            "truncated member",
            "adj_indices",
            npy("<i4", "(4,)", ints(1, 2)),
            "adj_indices.npy: expected 4 elements of 4 bytes for shape [4], found 8 bytes"),
        pairs(
            "bytes after a member",
            "adj_indices",
            npy("<i4", "(4,)", ints(1, 2, 1, 2, 0)),
            "adj_indices.npy: expected the end of the member after 4 elements, found more bytes"),
        pairs(
            "big-endian member",
            "labels",
            npy(">i4", "(3,)", ints(0, 0, 0)),
            "labels.npy: header: expected integers, floats or text, little-endian, found '>i4'",
            "arr.astype('<i4')"),
        pairs(
            "Python objects",
            "class_names",
            npy("|O", "(2,)", new byte[16]),
            "class_names.npy: header: expected integers, floats or text, little-endian, found '|O'"),
        pairs(
            "class twice",
            "class_names",
            npy("<U3", "(2,)", SmallFiles.texts(3, "no", "no")),
            "class_names.npy: expected distinct names of classes, found no twice"),
        pairs(
            "label between two classes",
            "labels",
            npy("<f4", "(3,)", floats(0, 0.5f, 0)),
            "labels.npy: element 1: expected a class in 0..1, or -1 for none, found 0.5"),
        pairs(
            "labels of text",
            "labels",
            npy("|S2", "(3,)", new byte[6]),
            "labels.npy: header: expected numbers, found |S2 [3]"),
        pairs(
            "label without a name",
            "labels",
            npy("|i1", "(3,)", truths(0, 2, 1)),
            "labels.npy: element 1: expected a class in 0..1, or -1 for none, found 2"),
        pairs(
            "NaN feature",
            "attr_data",
            npy("<f4", "(3,)", floats(1, Float.NaN, 1)),
            "attr_data.npy: vertex 0, feature 0: expected a finite number, found NaN"),
        pairs(
            "feature twice",
            "attr_indices",
            npy("<i4", "(3,)", ints(3, 3, 2)),
            "attr_indices.npy: row 0: expected distinct features, found 3 twice"),
        pairs(
            "too few names",
            "node_names",
            npy("<U1", "(2,)", SmallFiles.texts(1, "a", "b")),
            "node_names.npy: header: expected 3 rows, found [2]"),
        masks(
            "vertex of two parts",
            "val_masks",
            npy("|b1", "(2, 3)", truths(1, 0, 0, 0, 1, 0)),
            "val_masks.npy: vertex 0: expected a vertex of one part only"),
        masks(
            "masks of another size",
            "val_masks",
            npy("|b1", "(2, 2)", truths(1, 0, 0, 0)),
            "val_masks.npy: header: expected truth values of shape (splits, 3), found [2, 2]"),
        masks(
            "infinite feature",
            "node_features",
            npy("<f4", "(3, 2)", floats(1, 2, 3, Float.POSITIVE_INFINITY, 5, 6)),
            "node_features.npy: vertex 1, feature 1: expected a finite number, found Infinity"),
        masks(
            "weights of other edges",
            "edge_weights",
            npy("<f4", "(2,)", floats(1, 2)),
            "edge_weights.npy: header: expected 3 rows, found [2]"),
        masks(
            "weights in two columns",
            "edge_weights",
            npy("<f4", "(3, 1)", floats(1, 2, 3)),
            "edge_weights.npy: header: expected numbers of one dimension, found <f4 [3, 1]"),
        masks(
            "infinite weight",
            "edge_weights",
            npy("<f8", "(3,)", concat(longs(0, 0), longs(Double.doubleToLongBits(1e300)))),
            "edge_weights.npy: element 2: expected a finite weight, found 1.0E300"),
        masks(
            "unknown array",
            "edge_weight",
            npy("<f4", "(3,)", floats(1, 2, 3)),
            "edge_weight.npy: expected one of class_names, edge_weights, edges,",
            "found another; rename it or leave it out"),
        pairs(
            "array of the other layout",
            "edge_weights",
            npy("<f4", "(4,)", floats(1, 2, 3, 4)),
            "edge_weights.npy: expected one of adj_data,"),
        pairs(
            "feature names of another number",
            "attr_names",
            npy("<U1", "(2,)", SmallFiles.texts(1, "a", "b")),
            "attr_names.npy: header: expected 4 names, as there are features, found 2"),
        masks(
            "edges of three columns",
            "edges",
            npy("<i8", "(1, 3)", longs(0, 1, 2)),
            "edges.npy: header: expected integers of shape (m, 2), found <i8 [1, 3]"),
        masks(
            "edges that are no integers",
            "edges",
            npy("<f8", "(1, 2)", new byte[16]),
            "edges.npy: header: expected integers of shape (m, 2), found <f8 [1, 2]"),
        file(
            "MATLAB without its module",
            "g.mat",
            "MATLAB 5.0 MAT-file\0",
            "g.mat: expected a graph in one file, found a MATLAB file, which only the module"
                + " dev.gossamer.matlab reads"));
  }

  static Stream<Case> pickles() {
    byte[] start = Pickle.START;
    byte[] zeros = Pickle.array("i4", new byte[32], 4, 2);
    return Stream.of(
        planetoid(
            "foreign class",
            "graph",
            concat(
                start,
                Pickle.global("os", "system"),
                Pickle.string("true"),
                Pickle.ops("\u0085R.")),
            "ind.tiny.graph: offset 2: expected a class of numpy arrays or sparse matrices, found"
                + " class os system, refused"),
        planetoid(
            "truncated",
            "allx",
            Arrays.copyOf(Pickle.csr(4, 3, ints(0, 1, 2, 2, 2), ints(0, 1), floats(1, 1)), 150),
            "ind.tiny.allx: offset",
            "more bytes, found",
            "the file is truncated"),
        planetoid(
            "unknown opcode",
            "graph",
            concat(start, Pickle.ops("]\u0093.")),
            "ind.tiny.graph: offset 3: expected an opcode of a protocol 2 pickle of arrays, found"
                + " 0x93 STACK_GLOBAL"),
        planetoid(
            "later protocol",
            "graph",
            new byte[] {(byte) 0x80, 4, '.'},
            "ind.tiny.graph: offset 0: expected pickle protocol 2, found 4"),
        planetoid(
            "empty stack",
            "graph",
            concat(start, Pickle.ops("R.")),
            "ind.tiny.graph: offset 2: expected a value on the stack, found none"),
        planetoid(
            "no mark",
            "graph",
            concat(start, Pickle.ops("]]e.")),
            "ind.tiny.graph: offset 4: expected a mark on the stack, found none"),
        planetoid(
            "unknown memo",
            "graph",
            concat(start, Pickle.ops("h\7.")),
            "ind.tiny.graph: offset 2: expected a remembered value, found unknown number 7"),
        planetoid(
            "call of a list",
            "graph",
            concat(start, Pickle.ops("])R.")),
            "ind.tiny.graph: offset 4: expected a call that makes an array, a dtype or a"
                + " dictionary"),
        planetoid(
            "hostile string",
            "graph",
            concat(start, Pickle.ops("T"), ints(-1), Pickle.ops(".")),
            "ind.tiny.graph: offset 2: expected 4294967295 more bytes, found 1"),
        planetoid(
            "list that holds itself",
            "graph",
            concat(
                start,
                Pickle.global("collections", "defaultdict"),
                Pickle.global("__builtin__", "list"),
                Pickle.ops("\u0085RK\0]q\1h\1as.")),
            "ind.tiny.graph: expected a vertex in 0..5, found ArrayList"),
        planetoid(
            "matrix that holds itself",
            "allx",
            concat(
                start,
                Pickle.global("scipy.sparse.csr", "csr_matrix"),
                Pickle.ops(")\u0081q\1}"),
                Pickle.string("indptr"),
                Pickle.ops("h\1sb.")),
            "ind.tiny.allx: expected integers 'indptr' of one dimension, found Csr"),
        planetoid(
            "not a dictionary",
            "graph",
            concat(start, Pickle.ops("N.")),
            "ind.tiny.graph: expected a dictionary, found None"),
        planetoid(
            "zero length",
            "ally",
            new byte[0],
            "ind.tiny.ally: offset 0: expected 1 more bytes, found 0; the file is truncated"),
        planetoid(
            "big-endian array",
            "y",
            concat(start, Pickle.arrayBody("i4", ">", false, new byte[16], 2, 2), Pickle.STOP),
            "ind.tiny.y: offset",
            "expected little-endian elements '<', found '>'"),
        planetoid(
            "Fortran array of other size",
            "y",
            concat(start, Pickle.arrayBody("i4", "<", true, new byte[12], 2, 2), Pickle.STOP),
            "ind.tiny.y: offset",
            "expected 16 bytes for shape [2, 2], found 12"),
        planetoid(
            "array of other size",
            "y",
            concat(start, Pickle.arrayBody("i4", "<", false, new byte[12], 2, 2), Pickle.STOP),
            "ind.tiny.y: offset",
            "expected 16 bytes for shape [2, 2], found 12"),
        planetoid(
            "array of doubles as index",
            "ally",
            Pickle.array("f8", new byte[64], 4, 2),
            "ind.tiny.ally: expected an int array of two dimensions, found f8 [4, 2]"),
        planetoid(
            "rows of another count",
            "ally",
            Pickle.array("i4", new byte[24], 3, 2),
            "ind.tiny.ally: expected 4 rows, as allx has, found 3"),
        planetoid(
            "feature id out of range",
            "allx",
            Pickle.csr(4, 3, ints(0, 1, 1, 1, 1), ints(3), floats(1)),
            "ind.tiny.allx: expected indices in 0..2, found 3 in row 0"),
        planetoid(
            "feature id below 0",
            "tx",
            Pickle.csr(2, 3, ints(0, 1, 2), ints(0, -1), floats(1, 1)),
            "ind.tiny.tx: expected indices in 0..2, found -1 in row 1"),
        planetoid(
            "feature id twice",
            "tx",
            Pickle.csr(2, 3, ints(0, 1, 4), ints(0, 2, 1, 2), floats(1, 1, 1, 1)),
            "ind.tiny.tx: expected distinct indices in row 1, found 2 twice"),
        planetoid(
            "NaN feature",
            "tx",
            Pickle.csr(2, 3, ints(0, 1, 2), ints(0, 1), floats(1, Float.NaN)),
            "ind.tiny.tx: vertex 4, feature 1: expected a finite number, found NaN"),
        planetoid(
            "pointers past the end",
            "allx",
            Pickle.csr(4, 3, ints(0, 1, 1, 1, 7), ints(2), floats(1)),
            "ind.tiny.allx: expected indptr that ascends from 0 to 1, found 7 at 4"),
        planetoid(
            "neighbour is n",
            "graph",
            Pickle.graph(new int[][] {{1}, {7}}),
            "ind.tiny.graph: expected a vertex in 0..5, found 7"),
        planetoid(
            "test id of a known vertex",
            "test.index",
            "5\n3\n".getBytes(StandardCharsets.UTF_8),
            "ind.tiny.test.index: expected each vertex from 4 on at most once, found 3 on line 2"),
        planetoid(
            "test id is a word",
            "test.index",
            "5\nfour\n".getBytes(StandardCharsets.UTF_8),
            "ind.tiny.test.index: line 2: expected a vertex id, found 'four'"),
        planetoid(
            "hostile test id",
            "test.index",
            "5\n2000000000\n".getBytes(StandardCharsets.UTF_8),
            "ind.tiny.test.index: line 2: expected at most",
            "vertices in a file of 13 bytes, found" + " 2000000001"),
        planetoid(
            "too few test ids",
            "test.index",
            "5\n".getBytes(StandardCharsets.UTF_8),
            "ind.tiny.test.index: line 1: expected 2 lines, as tx has rows, found 1"),
        planetoid(
            "labels in place of features",
            "tx",
            zeros,
            "ind.tiny.tx: expected a csr_matrix, found Array"),
        of(
            "missing file of a set",
            at -> {
              SmallFiles.planetoid(at);
              delete(at.resolve("ind.tiny.ty"));
              return at;
            },
            "ind.tiny.ty: cannot read: no such file"),
        of(
            "one file of a set",
            at -> SmallFiles.planetoid(at).resolve("ind.tiny.x"),
            "ind.tiny.x: expected a graph in one file, found one file of a Planetoid set; give its"
                + " folder"));
  }

  static Stream<Case> texts() {
    return Stream.of(
        file("empty file", "g.txt", "", "g.txt: expected a graph, found an empty file"),
        file("only comments", "g.txt", "# a\n", "g.txt: line 1: expected an edge 'source target'"),
        file("one column", "g.txt", "0\n1\n", "g.txt: line 1: expected 2 or 3 columns", "found 1"),
        file(
            "four columns",
            "g.csv",
            "0,1,2,3\n",
            "g.csv: line 1: expected 2 or 3 columns",
            "found 4"),
        file(
            "too few columns",
            "g.txt",
            "0 1\n1 2\n2\n",
            "g.txt: line 3: expected a vertex id, found the end of the line"),
        file(
            "too many columns",
            "g.txt",
            "0 1\n1 2 5\n",
            "g.txt: line 2: expected the end of the line, found '5'"),
        file(
            "not a number",
            "g.txt",
            "0 1\n\n1 x\n",
            "g.txt: line 3: expected a vertex id, found 'x'"),
        file(
            "negative id",
            "g.txt",
            "0 1\n1 -2\n",
            "g.txt: line 2: expected a vertex id in 0..2147483646, found -2"),
        file(
            "id of 2^31 - 1",
            "g.txt",
            "0 1\n1 2147483647\n",
            "g.txt: line 2: expected a vertex id in 0..2147483646, found 2147483647"),
        file(
            "id of 30 digits",
            "g.txt",
            "0 1\n1 123456789012345678901234567890\n",
            "g.txt: line 2: expected a vertex id, found '123456789012345678901234567890'"),
        file(
            "hostile id",
            "g.txt",
            "0 2000000000\n",
            "g.txt: line 1: expected at most",
            "found 2000000001; number them without gaps"),
        file(
            "weight is a word",
            "g.txt",
            "0 1 2.5\n1 2 heavy\n",
            "g.txt: line 2: expected a finite weight, found 'heavy'"),
        file(
            "weight is NaN",
            "g.txt",
            "0 1 NaN\n",
            "g.txt: line 1: expected a finite weight, found 'NaN'"),
        file(
            "open quote",
            "g.csv",
            "source,target\n\"a,b\n",
            "g.csv: line 2: expected a closing double quote, found the end of the line"),
        file(
            "numbers of rows before edges",
            "g.csv",
            ",source,target\n0,5,7\n",
            "g.csv: line 1: expected columns 'source target [weight]', found ',source,target'",
            "; write it without row numbers (index=False)"),
        file(
            "numbers of rows as R writes them",
            "g.csv",
            "\"source\",\"target\"\n\"1\",5,7\n",
            "g.csv: line 2: expected columns 'source target [weight]', found '1,5,7'",
            "; write it without row numbers (index=False)"),
        file(
            "numbers of rows of texts as R writes them",
            "g.csv",
            "\"a\",\"b\",\"w\"\n\"1\",\"x5\",\"x7\",2\n\"2\",\"x5\",\"x6\",2\n",
            "g.csv: line 2: expected columns 'source target [weight]', found '1,x5,x7,2'"),
        file(
            "numbers of rows before names",
            "g.csv",
            "\"\",\"a\",\"b\"\n\"1\",\"ann\",\"bob\"\n",
            "g.csv: line 1: expected columns 'source target [weight]', found ',a,b'; write it"),
        file(
            "named numbers of rows",
            "g.tsv",
            "Unnamed: 0\tFrom\tTo\n0\t5\t7\n",
            "g.tsv: line 1: expected columns 'source target [weight]', found 'Unnamed: 0,From,To'"),
        binary(
            "names that are not UTF-8",
            "g.csv",
            "source,target\nMüller,Möller\n".getBytes(StandardCharsets.ISO_8859_1),
            "g.csv: line 2: expected UTF-8 text, found other bytes; convert it with iconv"),
        file(
            "Matrix Market with one percent sign",
            "g.mtx",
            "%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
            "g.mtx: line 1: expected an edge list, found a Matrix Market file; its format is mtx"),
        binary(
            "truncated gzip",
            "g.txt.gz",
            Arrays.copyOf(gzip("0 1\n".repeat(5000)), 40),
            "g.txt.gz: after line",
            "it is truncated"),
        binary(
            "damaged gzip",
            "g.txt.gz",
            new byte[] {0x1f, (byte) 0x8b, 9, 9, 9},
            "g.txt.gz: byte 0: expected gzip data, found a damaged or truncated header"),
        binary(
            "binary file",
            "g.bin",
            new byte[] {1, 0, 0, 2, 9, 9},
            "g.bin: line 1: expected text, an .npz archive or a MATLAB 5 file, found other bytes"),
        binary(
            "zstd",
            "g.zst",
            new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0},
            "g.zst: expected a graph in one file, found zstd data; unpack it with zstd -d"),
        file(
            "METIS edge count",
            "g.graph",
            "3 3\n2\n1 3\n2\n",
            "g.graph: line 4: expected 6 neighbours, as the header says 3 edges, found 4"),
        file(
            "METIS neighbour 0",
            "g.graph",
            "2 1\n0\n1\n",
            "g.graph: line 2: expected a neighbour of vertex 1 in 1..2 other than itself, found 0"),
        file(
            "METIS neighbour past the end",
            "g.graph",
            "2 1\n3\n1\n",
            "g.graph: line 2: expected a neighbour of vertex 1 in 1..2",
            "found 3"),
        file(
            "METIS self loop",
            "g.graph",
            "2 1\n1\n1\n",
            "g.graph: line 2: expected a neighbour of vertex 1 in 1..2 other than itself, found 1"),
        file(
            "METIS not symmetric",
            "g.graph",
            "3 2\n2 3\n1\n2\n",
            "g.graph: edge 0 -> 2: expected the same edge back, as the graph is undirected, found"
                + " none"),
        file(
            "METIS repeated neighbour",
            "g.graph",
            "3 2\n2 2\n1 1\n\n",
            "g.graph: expected 2 distinct edges, found 1.0, as some vertex names a neighbour"
                + " twice"),
        file(
            "METIS too few lines",
            "g.graph",
            "3 1\n2\n1\n",
            "g.graph: line 3: expected 3 lines, one per vertex, found 2 and the end of the file"),
        file(
            "METIS too many lines",
            "g.graph",
            "2 1\n2\n1\n1\n",
            "g.graph: line 4: expected 2 lines, one per vertex, found more"),
        file(
            "METIS format",
            "g.graph",
            "2 1 7\n2\n1\n",
            "g.graph: line 1: expected fmt of up to three digits 0 or 1, found '7'"),
        file(
            "METIS hostile size",
            "g.graph",
            "2000000000 1\n2\n1\n",
            "g.graph: line 1: expected at most",
            "found 2000000000; number them without gaps"),
        file(
            "Matrix Market of complex numbers",
            "g.mtx",
            MM + "complex general\n1 1 0\n",
            "g.mtx: line 1: expected '%%MatrixMarket matrix coordinate",
            "complex general'"),
        file(
            "Matrix Market index",
            "g.mtx",
            MM + "pattern general\n2 2 1\n1 3\n",
            "g.mtx: line 3: expected a column in 1..2, found 3"),
        file(
            "Matrix Market count",
            "g.mtx",
            MM + "pattern general\n2 2 2\n1 2\n",
            "g.mtx: line 3: expected 2 entries, as the size line says, found 1"),
        file(
            "Matrix Market upper triangle",
            "g.mtx",
            MM + "pattern symmetric\n2 2 1\n1 2\n",
            "g.mtx: line 3: expected an entry of the lower triangle",
            "found row 1, column 2"),
        file(
            "Matrix Market rectangle",
            "g.mtx",
            MM + "pattern general\n2 3 0\n",
            "g.mtx: line 2: expected as many rows as columns, a graph, found 2 x 3"),
        file(
            "Matrix Market hostile size",
            "g.mtx",
            MM + "pattern general\n9999999999 9999999999 0\n",
            "g.mtx: line 2: expected at most 2147483647 vertices (ids are 32-bit), found"
                + " 9999999999"),
        file(
            "Matrix Market infinite value",
            "g.mtx",
            MM + "real general\n1 1 1\n1 1 1e99\n",
            "g.mtx: line 3: expected a finite value, found '1e99'"),
        file(
            "DIMACS with two problem lines",
            "g.gr",
            "c x\np sp 2 1\np sp 2 1\n",
            "g.gr: line 3: expected a line 'a SOURCE TARGET LENGTH', found 'p sp 2 1'"),
        file(
            "DIMACS count",
            "g.gr",
            "p sp 2 2\na 1 2 3\n",
            "g.gr: line 2: expected 2 arcs, as the line 'p' says, found 1"),
        file(
            "DIMACS vertex",
            "g.gr",
            "p sp 2 1\na 0 2 3\n",
            "g.gr: line 2: expected a vertex in 1..2, found 0"),
        cora(
            "only unknown paper ids",
            "tiny.cites",
            "31336\t99\n98\tx7\n",
            "tiny.cites: line 2: expected ids that the .content file has, found an unknown id on"
                + " every line"),
        cora(
            "citation of nothing",
            "tiny.cites",
            "31336\t1061127\n99\n",
            "tiny.cites: line 2: expected the ids of the cited and the citing paper, found '99'"),
        of(
            "classes that are not UTF-8",
            at ->
                bytes(
                        SmallFiles.citations(at).resolve("tiny.content"),
                        "1\t0\tKäfer\n".getBytes(StandardCharsets.ISO_8859_1))
                    .getParent(),
            "tiny.content: line 1: expected UTF-8 text, found other bytes"),
        cora(
            "paper twice",
            "tiny.content",
            "1\t0\tA\n1\t1\tB\n",
            "tiny.content: line 2: expected a new id, found '1', as vertex 0 has"),
        cora(
            "features of another count",
            "tiny.content",
            "1\t0\t1\tA\n2\t1\tB\n",
            "tiny.content: line 2: expected 4 fields, as on line 1, found 3"),
        cora(
            "feature is a word",
            "tiny.content",
            "31336\t0\tx\tA\n",
            "tiny.content: line 1: expected feature 1, a finite number, found 'x'"),
        of(
            "cites missing",
            at -> {
              SmallFiles.citations(at);
              delete(at.resolve("tiny.cites"));
              return at;
            },
            "expected one file *.cites, found none"),
        file(
            "hostile gap between ids",
            "snap.txt",
            "# Nodes: 2 Edges: 1\n0\t2000000000\n",
            "snap.txt: line 2: expected vertex ids below 134219840 in a file of 33 bytes, found"
                + " 2000000000"),
        musae(
            "feature of an unknown vertex",
            "tiny_features.json",
            "{\"0\": [1],\n \"3\": [2]}",
            "tiny_features.json: line 2",
            "expected a vertex id in 0..2, found '3'"),
        musae(
            "negative feature",
            "tiny_features.json",
            "{\"0\": [-1]}",
            "tiny_features.json: line 1",
            "expected a feature of vertex 0, from 0, found -1"),
        musae(
            "hostile feature",
            "tiny_features.json",
            "{\"0\": [2000000000]}",
            "tiny_features.json: line 1",
            "expected at most",
            "found 2000000001"),
        musae(
            "vertex twice",
            "tiny_features.json",
            "{\"0\": [1], \"0\": [2]}",
            "tiny_features.json: line 1: Duplicate",
            "\"0\""),
        musae(
            "truncated JSON",
            "tiny_features.json",
            "{\"0\": [1, ",
            "tiny_features.json: line 1: Unexpected end-of-input"),
        musae(
            "feature twice",
            "tiny_features.json",
            "{\"0\": [1, 1]}",
            "tiny_features.json: vertex 0: expected distinct features, found 1 twice"),
        musae(
            "target without a class",
            "tiny_target.csv",
            "id,page_type\n0,shop\n1,\n",
            "tiny_target.csv: line 3: expected a class, found nothing"),
        musae(
            "target out of order",
            "tiny_target.csv",
            "id,page_type\n1,shop\n",
            "tiny_target.csv: line 2: expected vertex id 0, found '1'"),
        musae(
            "edge to an unknown vertex",
            "tiny_edges.csv",
            "id_1,id_2\n0,3\n",
            "tiny_edges.csv: line 2: expected a vertex id in 0..2, found 3"),
        musae(
            "edges without header",
            "tiny_edges.csv",
            "0,2\n",
            "tiny_edges.csv: line 1: expected a header 'id_1,id_2' or",
            "found '0,2'"),
        twitch(
            "vertex without a row",
            "tiny_target.csv",
            "id,days,mature,views,partner,new_id\n7,1,True,9,False,2\n8,1,True,9,False,0\n",
            "tiny_target.csv: column new_id: expected each vertex of 0..2, found no row of vertex 1"),
        twitch(
            "vertex of two classes",
            "tiny_target.csv",
            "id,days,mature,views,partner,new_id\n7,1,True,9,False,0\n7,1,False,9,False,0\n",
            "tiny_target.csv: line 3: expected class 'True' of vertex 0, as in an earlier row, found"
                + " 'False'"),
        twitch(
            "hostile vertex number",
            "tiny_target.csv",
            "id,days,mature,views,partner,new_id\n7,1,True,9,False,999999999\n",
            "tiny_target.csv: line 2: expected a vertex id in 0..",
            "found '999999999'"),
        twitch(
            "no class column",
            "tiny_target.csv",
            "id,new_id\n7,0\n",
            "tiny_target.csv: line 1: expected a column 'mature' beside 'new_id', found 'id,new_id'"),
        of(
            "other folder",
            at -> {
              text(at.resolve("x.dat"), "1");
              text(at.resolve("y.dat"), "1");
              return at;
            },
            "expected a data set (dataset.json, ind.NAME.*",
            "found 2 other files"),
        of(
            "folder of texts about nothing",
            at -> text(at.resolve("README.md"), "1").getParent(),
            "expected a data set (dataset.json, ind.NAME.*",
            "found 1 other files"),
        of(
            "nothing there",
            at -> at.resolve("absent"),
            "absent: cannot read: no such file or folder"));
  }

  static Stream<Case> published() {
    return Stream.of(
        reddit(
            "labels of fewer vertices",
            "label",
            npy("<i8", "(2,)", longs(0, 1)),
            "tiny_data.npz: label.npy: header: expected 3 rows, found [2]"),
        reddit(
            "labels of several classes",
            "label",
            npy("<i8", "(3, 2)", longs(0, 1, 0, 1, 0, 1)),
            "tiny_data.npz: label.npy: header: expected one class for each vertex",
            "found [3, 2]"),
        reddit(
            "unknown part",
            "node_types",
            npy("<i8", "(3,)", longs(1, 4, 0)),
            "tiny_data.npz: node_types.npy: element 1: expected 0 (none), 1 (train)",
            "found 4"),
        reddit(
            "hostile part",
            "node_types",
            npy("<i8", "(3,)", longs(1, 1L << 32, 0)),
            "tiny_data.npz: node_types.npy: element 1: expected 0 (none), 1 (train)"),
        reddit(
            "feature that is not finite",
            "feature",
            npy("<f4", "(3, 1)", floats(1, 2, Float.NEGATIVE_INFINITY)),
            "tiny_data.npz: feature.npy: vertex 2, feature 0: expected a finite number, found"
                + " -Infinity"),
        reddit(
            "features of other vertices",
            "feature",
            npy("<f4", "(4, 1)", floats(1, 2, 3, 4)),
            "tiny_data.npz: feature.npy: header: expected 3 rows, found [4, 1]"),
        reddit(
            "texts as features",
            "feature",
            npy("|S1", "(3, 1)", new byte[3]),
            "tiny_data.npz: feature.npy: header: expected numbers of shape (3, f), found |S1"),
        graphSaint(
            "list of classes",
            "class_map.json",
            "{\"0\": 1,\n \"1\": [0, 1]}",
            "class_map.json: line 2",
            "expected one class for each vertex, found a list for vertex 1"),
        graphSaint(
            "class among lists",
            "class_map.json",
            "{\"0\": [0, 1],\n \"1\": 1}",
            "class_map.json: line 2",
            "expected a list for each vertex, found one class for vertex 1"),
        graphSaint(
            "lists of different lengths",
            "class_map.json",
            "{\"0\": [0, 1],\n \"1\": [1]}",
            "class_map.json: line 2",
            "expected 2 labels of each vertex, found 1 for vertex 1"),
        graphSaint(
            "label that is neither 0 nor 1",
            "class_map.json",
            "{\"0\": [0, 2]}",
            "class_map.json: line 1",
            "expected 0 or 1 for each label of vertex 0, found 2"),
        graphSaint(
            "no labels",
            "class_map.json",
            "{\"0\": []}",
            "class_map.json: expected 1 to 1048576 columns, found 0"),
        graphSaint(
            "class beyond the vertices",
            "class_map.json",
            "{\"0\": 3}",
            "class_map.json: line 1",
            "expected a class in 0..2, found 3"),
        graphSaint(
            "class of an unknown vertex",
            "class_map.json",
            "{\"3\": 0}",
            "class_map.json: line 1",
            "expected a vertex id in 0..2, found '3'"),
        graphSaint(
            "unknown role",
            "role.json",
            "{\"tr\": [0], \"dev\": [1]}",
            "role.json: line 1",
            "expected 'tr', 'va' or 'te', found 'dev'"),
        graphSaint(
            "vertex of two roles",
            "role.json",
            "{\"tr\": [0], \"va\": [0]}",
            "role.json: line 1",
            "expected each vertex once, in one part, found 0 again"),
        graphSaint(
            "role of an unknown vertex",
            "role.json",
            "{\"tr\": [7]}",
            "role.json: line 1",
            "expected a vertex id in 0..2, found 7"),
        graphSaint(
            "roles without an end",
            "role.json",
            "{\"tr\": [0",
            "role.json: line 1: Unexpected end"),
        of(
            "no features",
            at -> {
              SmallFiles.graphSaint(at);
              delete(at.resolve("feats.npy"));
              return at;
            },
            "feats.npy: cannot read: no such file"),
        ogb(
            "rows of different lengths",
            "raw/node-label",
            "0,1\n1\n1,1\n",
            "node-label.csv.gz: line 2: expected 2 columns, as in the first line, found 1"),
        ogb(
            "labels that are words",
            "raw/node-label",
            "0,1\n1,yes\n1,1\n",
            "node-label.csv.gz: line 2: expected numbers, found 'yes'"),
        ogb(
            "fewer labels than vertices",
            "raw/node-label",
            "0\n1\n",
            "node-label.csv.gz: line 2: expected 3 lines, one for each vertex, found 2"),
        ogb(
            "more labels than vertices",
            "raw/node-label",
            "0\n1\n2\n0\n",
            "node-label.csv.gz: line 4: expected the end of the file, found another line"),
        ogb(
            "label that is no class",
            "raw/node-label",
            "0\n1.5\n2\n",
            "node-label.csv.gz: line 2: expected a class in 0..2, or -1 for none, found '1.5'"),
        ogb(
            "several graphs",
            "raw/num-node-list",
            "2\n1\n",
            "num-node-list.csv.gz: line 2: expected the end of the file, found another line"),
        ogb(
            "hostile number of vertices",
            "raw/num-node-list",
            "2000000000\n",
            "num-node-list.csv.gz: expected at most",
            "found 2000000000; number them without gaps"),
        ogb(
            "edge to an unknown vertex",
            "raw/edge",
            "0,1\n1,3\n2,2\n",
            "edge.csv.gz: line 2: expected a vertex id in 0..2, found 3"),
        ogb("fewer edges", "raw/edge", "0,1\n1,2\n", "edge.csv.gz: expected 3 edges, found 2"),
        ogb(
            "feature that is not finite",
            "raw/node-feat",
            "1,2\n3,nan\n5,6\n",
            "node-feat.csv.gz: line 2: expected a finite number, found 'nan'"),
        ogb(
            "row of other width",
            "raw/node-feat",
            "1,2\n3,4,5\n5,6\n",
            "node-feat.csv.gz: line 2: expected the end of the line, found '5'"),
        ogb(
            "fewer rows than vertices",
            "raw/node-feat",
            "1,2\n3,4\n",
            "node-feat.csv.gz: line 2: expected 3 lines, one for each vertex, found 2"),
        ogb(
            "fewer rows than edges",
            "raw/edge-feat",
            "1,2\n3,4\n",
            "edge-feat.csv.gz: line 2: expected 3 lines, one for each edge, found 2"),
        ogb(
            "no features of edges",
            "raw/edge-feat",
            "",
            "edge-feat.csv.gz: line 0: expected the features of edge 0, found nothing"),
        ogb(
            "vertex of two parts",
            "split/time/valid",
            "0\n",
            "valid.csv.gz: line 1: expected each vertex once, in one part, found 0 again"),
        of(
            "no part",
            at -> {
              SmallFiles.ogb(at, "time");
              delete(at.resolve("split/time/test.csv.gz"));
              return at;
            },
            "split/time/test.csv.gz: cannot read: no such file"),
        ogbTyped(
            "type of vertices twice",
            "num-node-dict",
            "paper,paper\n3,2\n",
            "num-node-dict.csv.gz: line 1: expected different names of types of vertices, found [paper, paper]"),
        ogbTyped(
            "type of another folder",
            "num-node-dict",
            "../paper,author\n3,2\n",
            "num-node-dict.csv.gz: line 1: expected the name of a type (letters, digits, '_', '-', '.'), found '../paper'"),
        ogbTyped(
            "type without a number",
            "num-node-dict",
            "author,paper\n2\n",
            "num-node-dict.csv.gz: line 2: expected a number of vertices, found the end of the line"),
        ogbTyped(
            "names without numbers",
            "num-node-dict",
            "author,paper\n",
            "num-node-dict.csv.gz: line 1: expected the number of vertices of each type, found the end of the file"),
        ogbTyped(
            "hostile numbers of vertices",
            "num-node-dict",
            "author,paper\n2000000000,2000000000\n",
            "num-node-dict.csv.gz: expected at most"),
        ogbTyped(
            "edges of unknown vertices",
            "triplet-type-list",
            "author,likes,venue\n",
            "triplet-type-list.csv.gz: line 1: expected one of the types of vertices author, field, paper, found 'venue'"),
        ogbTyped(
            "type of edges twice",
            "triplet-type-list",
            "author,writes,paper\nauthor,writes,paper\n",
            "triplet-type-list.csv.gz: line 2: expected different types of edges, found author,writes,paper again"),
        ogbTyped(
            "no types of edges",
            "triplet-type-list",
            "",
            "triplet-type-list.csv.gz: line 0: expected 1 to 32 types of edges, found 0"),
        ogbTyped(
            "type of edges without its folder",
            "triplet-type-list",
            "author,likes,paper\n",
            "author___likes___paper/edge.csv.gz: cannot read: no such file"),
        ogbTyped(
            "edge to a vertex of another type",
            "relations/author___writes___paper/edge",
            "0,0\n2,0\n1,2\n",
            "author___writes___paper/edge.csv.gz: line 2: expected a vertex id in 0..1, found 2"),
        ogbTyped(
            "fewer edges of a type",
            "relations/author___writes___paper/edge",
            "0,0\n1,0\n",
            "author___writes___paper/edge.csv.gz: expected 3 edges, found 2"),
        ogbTyped(
            "classes of two types",
            "node-label/author/node-label",
            "0\n1\n",
            "node-label: expected classes of one type of vertices, found those of author and paper"),
        ogbTyped(
            "fewer rows than vertices of a type",
            "node-feat/paper/node-feat",
            "1,2\n3,4\n",
            "node-feat.csv.gz: line 2: expected 3 lines, one for each vertex, found 2"),
        ogbArrays(
            "ends of other shape",
            "edge_index",
            npy("<i8", "(3, 2)", longs(0, 1, 1, 2, 2, 2)),
            "data.npz: edge_index.npy: header: expected integers of shape (2, m), found <i8 [3, 2]"),
        ogbArrays(
            "source outside of the graph",
            "edge_index",
            npy("<i8", "(2, 3)", longs(0, 1, 3, 1, 2, 2)),
            "data.npz: edge_index.npy: element 2: expected a vertex in 0..2, found 3"),
        ogbArrays(
            "target outside of the graph",
            "edge_index",
            npy("<i8", "(2, 3)", longs(0, 1, 2, 1, -1, 2)),
            "data.npz: edge_index.npy: element 4: expected a vertex in 0..2, found -1"),
        ogbArrays(
            "other number of edges",
            "num_edges_list",
            npy("<i8", "(1,)", longs(4)),
            "data.npz: edge_index.npy: expected 4 edges, found 3"),
        ogbArrays(
            "feature that is not a number",
            "node_feat",
            npy("<f4", "(3, 1)", floats(1, Float.NaN, 3)),
            "data.npz: node_feat.npy: vertex 1, feature 0: expected a finite number, found NaN"),
        ogbArrays(
            "feature of an edge that is not a number",
            "edge_feat",
            npy("<f4", "(3, 1)", floats(1, Float.NaN, 3)),
            "data.npz: edge_feat.npy: edge 1, feature 0: expected a finite number, found NaN"),
        ogbArrays(
            "features of fewer edges than there are",
            "edge_feat",
            npy("<f4", "(2, 1)", floats(1, 3)),
            "data.npz: edge_feat.npy: header: expected 3 rows, found [2, 1]"),
        of(
            "damaged array that is read last",
            at -> {
              SmallFiles.ogbArrays(at);
              Path file = at.resolve("raw/data.npz");
              byte[] zip = read(file);
              // The last byte of the last feature, 6: members are stored in their order.
              byte[] six = floats(-0.5f, 6);
              zip[indexOf(zip, six) + six.length - 1] ^= 1;
              bytes(file, zip);
              return at;
            },
            "data.npz: node_feat.npy: expected checksum"));
  }

  private static int indexOf(byte[] all, byte[] part) {
    int at = 0;
    while (!Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
      at++;
    }
    return at;
  }

  @ParameterizedTest
  @MethodSource({"folders", "archives", "pickles", "texts", "published"})
  void isRefusedInOneLineAndLeavesNothing(Case malformed) throws IOException {
    Path input = malformed.input().apply(Files.createDirectory(folder.resolve("in")));
    Path output = Files.createDirectory(folder.resolve("out"));
    Throwable thrown =
        catchThrowable(() -> {
          try (GraphData d = Datasets.open(input)) {
            DatasetFolder.write(output.resolve("converted"), d);
          }
        });
    assertThat(thrown).isInstanceOf(InvalidInputException.class);
    assertThat(thrown.getMessage()).contains(malformed.parts()).doesNotContain("\n", "\r");
    assertThat(thrown.getMessage()).startsWith(folder.toString());
    try (Stream<Path> left = Files.list(output)) {
      assertThat(left).isEmpty();
    }
    assertThat(held(folder)).isEmpty();
  }

  /// What this process holds open or mapped below a folder, where the system says so.
  private static List<String> held(Path folder) throws IOException {
    List<String> held = new ArrayList<>();
    Path process = Path.of("/proc/self");
    if (Files.exists(process.resolve("maps"))) {
      held.addAll(Files.readAllLines(process.resolve("maps")));
      try (Stream<Path> open = Files.list(process.resolve("fd"))) {
        for (Path descriptor : open.toList()) {
          // The listing itself is one of them, and gone by now.
          if (Files.isSymbolicLink(descriptor)) {
            held.add(Files.readSymbolicLink(descriptor).toString());
          }
        }
      }
    }
    return held.stream().filter(line -> line.contains(folder.toString())).toList();
  }

  @Test
  void whatIsHeldIsSeen() throws IOException {
    path(folder, false);
    bytes(folder.resolve("edge_values.npy"), npy("<f4", "(4,)", floats(2, 2, 3, 3)));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.edges()).isEqualTo(2);
      assertThat(held(folder).isEmpty()).isNotEqualTo(Files.exists(Path.of("/proc/self/maps")));
    }
    assertThat(held(folder)).isEmpty();
  }

  @Test
  void aDraftThatIsNotFinishedFreesItsMemory() {
    DatasetDraft draft = new DatasetDraft(GraphFormat.named("edges"), folder, ReadOptions.DEFAULT);
    draft.close();
    assertThat(draft.arena().scope().isAlive()).isFalse();
  }

  /// The table's data set folders differ from a good one only in what each case replaces.
  @Test
  void theFolderThatTheCasesDamageIsGood() {
    path(folder, false);
    bytes(folder.resolve("edge_values.npy"), npy("<f4", "(4,)", floats(2, 2, 3, 3)));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.edges()).isEqualTo(2);
    }
  }
}
