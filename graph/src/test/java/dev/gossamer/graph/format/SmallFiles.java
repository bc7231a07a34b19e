package dev.gossamer.graph.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Small files of each format, made by hand: byte by byte where the format is binary.
final class SmallFiles {
  private SmallFiles() {}

  static Path text(Path file, String text) {
    return bytes(file, text.getBytes(UTF_8));
  }

  static Path bytes(Path file, byte[] bytes) {
    try {
      Path folder = file.getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      return Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] gzip(String text) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  static byte[] ints(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(values).forEach(buffer::putInt);
    return buffer.array();
  }

  static byte[] longs(long... values) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(values).forEach(buffer::putLong);
    return buffer.array();
  }

  static byte[] floats(float... values) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      buffer.putFloat(value);
    }
    return buffer.array();
  }

  static byte[] truths(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  /// Text of a fixed number of characters, UTF-32.
  static byte[] texts(int length, String... values) {
    byte[] all = new byte[0];
    for (String value : values) {
      int[] points = Arrays.copyOf(value.codePoints().toArray(), length);
      all = concat(all, ints(points));
    }
    return all;
  }

  /// A `.npy` file as numpy writes it.
  static byte[] npy(String descr, String shape, byte[] data) {
    return npyHeader(
        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(descr, shape), data);
  }

  /// A `.npy` file whose first index varies fastest.
  static byte[] fortran(String descr, String shape, byte[] data) {
    return npyHeader(
        "{'descr': '%s', 'fortran_order': True, 'shape': %s, }".formatted(descr, shape), data);
  }

  static byte[] npyHeader(String dictionary, byte[] data) {
    int padded = (10 + dictionary.length() + 1 + 63) / 64 * 64 - 10;
    byte[] header =
        (dictionary + " ".repeat(padded - dictionary.length() - 1) + "\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] start = {
      (byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) padded, (byte) (padded >> 8)
    };
    return concat(start, header, data);
  }

  static Path npz(Path file, Map<String, byte[]> members, boolean deflated) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(packed)) {
      for (Map.Entry<String, byte[]> member : members.entrySet()) {
        ZipEntry entry = new ZipEntry(member.getKey() + ".npy");
        if (!deflated) {
          CRC32 sum = new CRC32();
          sum.update(member.getValue());
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(member.getValue().length);
          entry.setCrc(sum.getValue());
        }
        out.putNextEntry(entry);
        out.write(member.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes(file, packed.toByteArray());
  }

  /// Arcs 0 -> 1, 1 -> 2, 2 -> 1, 2 -> 2; features 3 x 4, not all 1 and one row not sorted.
  static Map<String, byte[]> sparsePairs() {
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("adj_data", npy("<f4", "(4,)", floats(1, 1, 1, 1)));
    members.put("adj_indices", npy("<i4", "(4,)", ints(1, 2, 1, 2)));
    members.put("adj_indptr", npy("<i4", "(4,)", ints(0, 1, 2, 4)));
    members.put("adj_shape", npy("<i8", "(2,)", longs(3, 3)));
    members.put("attr_data", npy("<f4", "(3,)", floats(2, 1, 1)));
    members.put("attr_indices", npy("<i4", "(3,)", ints(3, 0, 2)));
    members.put("attr_indptr", npy("<i4", "(4,)", ints(0, 2, 2, 3)));
    members.put("attr_shape", npy("<i8", "(2,)", longs(3, 4)));
    members.put("labels", npy("|i1", "(3,)", new byte[] {1, 0, -1}));
    members.put("node_names", npy("<U2", "(3,)", texts(2, "ä", "bc", "")));
    members.put("class_names", npy("<U3", "(2,)", texts(3, "no", "yes")));
    return members;
  }

  /// Edges 0-2 and 1-2, a loop at 0; features 3 x 2; two splits.
  static Map<String, byte[]> edgesAndMasks() {
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("node_features", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, 5, 6)));
    members.put("node_labels", npy("<i8", "(3,)", longs(0, 2, 1)));
    members.put("edges", npy("<i8", "(3, 2)", longs(0, 2, 1, 2, 0, 0)));
    members.put("train_masks", npy("|b1", "(2, 3)", truths(1, 0, 0, 0, 0, 1)));
    members.put("val_masks", npy("|b1", "(2, 3)", truths(0, 1, 0, 0, 1, 0)));
    members.put("test_masks", npy("|b1", "(2, 3)", truths(0, 0, 1, 1, 0, 0)));
    return members;
  }

  /// Edges 0-2, 1-2 and 2-0 with weights, a loop at 0, and names.
  static Map<String, byte[]> weightedEdges() {
    Map<String, byte[]> members = edgesAndMasks();
    members.put("edges", npy("<i8", "(4, 2)", longs(0, 2, 1, 2, 2, 0, 0, 0)));
    members.put("edge_weights", npy("<f4", "(4,)", floats(0.5f, 2, 1, 9)));
    members.put("node_names", npy("<U3", "(3,)", texts(3, "ann", "bob", "cy")));
    return members;
  }

  /// Arcs 0 -> 1 (weight 2), 1 -> 2 (3) and 2 -> 2 (5) as `scipy.sparse.save_npz` writes them.
  ///
  /// @param format `csr`, `csc` or `coo`
  static Map<String, byte[]> scipy(String format) {
    Map<String, byte[]> members = new LinkedHashMap<>();
    switch (format) {
      case "coo" -> {
        members.put("row", npy("<i4", "(3,)", ints(2, 0, 1)));
        members.put("col", npy("<i4", "(3,)", ints(2, 1, 2)));
      }
      case "csr" -> {
        members.put("indices", npy("<i4", "(3,)", ints(1, 2, 2)));
        members.put("indptr", npy("<i4", "(4,)", ints(0, 1, 2, 3)));
      }
      default -> {
        members.put("indices", npy("<i4", "(3,)", ints(0, 1, 2)));
        members.put("indptr", npy("<i4", "(4,)", ints(0, 0, 1, 3)));
      }
    }
    members.put("format", npy("|S3", "()", format.getBytes(UTF_8)));
    members.put("shape", npy("<i8", "(2,)", longs(3, 3)));
    boolean coordinates = format.equals("coo");
    members.put("data", npy("<f2", "(3,)", coordinates ? halves(5, 2, 3) : halves(2, 3, 5)));
    members.put("_is_array", npy("|b1", "()", truths(1)));
    return members;
  }

  /// The graph of [#scipy] without weights; three vertices with two features, one of no class.
  static Map<String, byte[]> redditData() {
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("feature", npy("<f8", "(3, 2)", doubles(1, 2, 3, 4, 5, 6)));
    members.put("label", npy("<i8", "(3,)", longs(0, 1, -1)));
    members.put("node_ids", npy("<i8", "(3,)", longs(0, 1, 2)));
    members.put("node_types", npy("<i8", "(3,)", longs(1, 3, 0)));
    return members;
  }

  static Path reddit(Path folder) {
    npz(folder.resolve("tiny_graph.npz"), pattern("coo"), true);
    npz(folder.resolve("tiny_data.npz"), redditData(), true);
    return folder;
  }

  private static Map<String, byte[]> pattern(String format) {
    Map<String, byte[]> members = scipy(format);
    members.put("data", npy("<i8", "(3,)", longs(1, 1, 1)));
    return members;
  }

  static Path graphSaint(Path folder) {
    npz(folder.resolve("adj_full.npz"), pattern("csr"), true);
    npz(folder.resolve("adj_train.npz"), pattern("csr"), true);
    bytes(folder.resolve("feats.npy"), npy("<f8", "(3, 2)", doubles(1, 2, 3, 4, 5, 6)));
    text(folder.resolve("class_map.json"), "{\"1\": 1, \"0\": 0}");
    text(folder.resolve("role.json"), "{\"te\": [1], \"tr\": [0], \"va\": []}");
    return folder;
  }

  /// Arcs 0 -> 1, 1 -> 2 and 2 -> 2 in the texts of the Open Graph Benchmark.
  static Path ogb(Path folder, String split) {
    ogbText(folder, "raw/num-node-list", "3\n");
    ogbText(folder, "raw/num-edge-list", "3\n");
    ogbText(folder, "raw/edge", "0,1\n1,2\n2,2\n");
    ogbText(folder, "raw/edge-feat", "1,0\n2e0,-0.5\n3,0\n");
    ogbText(folder, "raw/node-feat", "1.0,2.0\n3,4e0\n-0.5,6.0\n");
    ogbText(folder, "raw/node-label", "0\n2\n1\n");
    ogbText(folder, "raw/node_year", "2012\n2013\n2014\n");
    ogbParts(folder, split);
    return folder;
  }

  static void ogbText(Path folder, String name, String text) {
    bytes(folder.resolve(name + ".csv.gz"), gzip(text));
  }

  static void ogbParts(Path folder, String split) {
    ogbText(folder, "split/" + split + "/train", "0\n");
    ogbText(folder, "split/" + split + "/valid", "2\n");
    ogbText(folder, "split/" + split + "/test", "1\n");
  }

  /// The same graph in the arrays of the Open Graph Benchmark; vertex 1 has no class.
  static Map<String, byte[]> ogbData() {
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("edge_index", npy("<i8", "(2, 3)", longs(0, 1, 2, 1, 2, 2)));
    members.put("num_nodes_list", npy("<i8", "(1,)", longs(3)));
    members.put("num_edges_list", npy("<i8", "(1,)", longs(3)));
    members.put("edge_feat", npy("<f8", "(3, 2)", doubles(1, 0, 2, -0.5, 3, 0)));
    members.put("node_feat", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, -0.5f, 6)));
    members.put("node_year", npy("<i8", "(3, 1)", longs(2012, 2013, 2014)));
    return members;
  }

  static Path ogbArrays(Path folder) {
    npz(folder.resolve("raw/data.npz"), ogbData(), false);
    byte[] labels = npy("<f4", "(3, 1)", floats(0, Float.NaN, 1));
    npz(folder.resolve("raw/node-label.npz"), Map.of("node_label", labels), true);
    ogbParts(folder, "time");
    return folder;
  }

  /// Two authors and three papers: both write paper 0 and the second paper 2, each of which cites
  /// the next, and paper 2 itself; and no field of study. Only papers have features and classes.
  static Path ogbTyped(Path folder) {
    ogbText(folder, "raw/num-node-dict", "paper,author,field\n3,2,0\n");
    ogbText(folder, "raw/triplet-type-list", "author,writes,paper\npaper,cites,paper\n");
    ogbText(folder, "raw/relations/author___writes___paper/num-edge-list", "3\n");
    ogbText(folder, "raw/relations/author___writes___paper/edge", "0,0\n1,0\n1,2\n");
    ogbText(folder, "raw/relations/author___writes___paper/edge_reltype", "0\n0\n0\n");
    ogbText(folder, "raw/relations/paper___cites___paper/num-edge-list", "3\n");
    ogbText(folder, "raw/relations/paper___cites___paper/edge", "0,1\n1,2\n2,2\n");
    ogbText(folder, "raw/nodetype-has-feat", "author,field,paper\nFalse,False,True\n");
    ogbText(folder, "raw/node-feat/paper/node-feat", "1.0,2.0\n3,4e0\n-0.5,6.0\n");
    ogbText(folder, "raw/node-feat/paper/node_year", "2012\n2013\n2014\n");
    ogbText(folder, "raw/node-label/paper/node-label", "0\n1\n1\n");
    ogbParts(folder, "time/paper");
    return folder;
  }

  static byte[] doubles(double... values) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      buffer.putDouble(value);
    }
    return buffer.array();
  }

  private static byte[] halves(float... values) {
    ByteBuffer buffer = ByteBuffer.allocate(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      buffer.putShort(Float.floatToFloat16(value));
    }
    return buffer.array();
  }

  static Path citations(Path folder) {
    text(
        folder.resolve("tiny.content"),
        "31336\t1\t0\t0\tTheory\n1061127\t0\t0\t1\tCase_Based\nx7\t0\t0\t0\tTheory\n");
    text(folder.resolve("tiny.cites"), "31336\t1061127\n1061127\tx7\n1061127\t31336\nx7\tx7\n");
    return folder;
  }

  static Path musae(Path folder) {
    text(
        folder.resolve("tiny_target.csv"),
        "id,facebook_id,page_name,page_type\n0,11,\"Bread, \"\"fresh\"\"\",shop\n"
            + "1,12,你好,club\n2,13,Plain,shop\n");
    text(folder.resolve("tiny_edges.csv"), "id_1,id_2\n0,2\n1,1\n2,1\n");
    text(folder.resolve("tiny_features.json"), "{\"2\": [4, 0], \"0\": [1], \"1\": []}");
    return folder;
  }

  /// Vertices in any order, one twice, the last without features.
  static Path twitch(Path folder) {
    text(
        folder.resolve("tiny_target.csv"),
        """
        id,days,mature,views,partner,new_id
        73,1,False,9,True,2
        12,5,True,8,False,0
        73,1,False,9,True,2
        9,7,False,8,False,1
        """);
    text(folder.resolve("tiny_edges.csv"), "from,to\n0,2\n1,1\n2,1\n");
    text(folder.resolve("tiny_features.json"), "{\"1\": [4, 0], \"0\": [1]}");
    return folder;
  }

  /// Vertices 0..3 known, 5 and 4 tested (in this order), none for 6; training 0 and 1.
  static Path planetoid(Path folder) {
    byte[] known = Pickle.csr(4, 3, ints(0, 1, 3, 3, 4), ints(0, 1, 2, 2), floats(1, 1, 1, 0.5f));
    bytes(folder.resolve("ind.tiny.allx"), known);
    bytes(folder.resolve("ind.tiny.ally"), Pickle.array("i4", ints(1, 0, 0, 1, 1, 0, 0, 1), 4, 2));
    bytes(
        folder.resolve("ind.tiny.x"),
        Pickle.csr(2, 3, ints(0, 1, 3), ints(0, 1, 2), floats(1, 1, 1)));
    bytes(folder.resolve("ind.tiny.y"), Pickle.array("i4", ints(1, 0, 0, 1), 2, 2));
    bytes(folder.resolve("ind.tiny.tx"), Pickle.csr(2, 3, ints(0, 1, 2), ints(0, 1), floats(5, 4)));
    bytes(folder.resolve("ind.tiny.ty"), Pickle.array("i4", ints(0, 1, 0, 0), 2, 2));
    bytes(
        folder.resolve("ind.tiny.graph"),
        Pickle.graph(new int[][] {{1, 1, 5}, {0, 0}, {}, {3, 4}, {3}, {0}, {}}));
    text(folder.resolve("ind.tiny.test.index"), "5\n4\n");
    return folder;
  }
}
