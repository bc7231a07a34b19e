package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.graph.EdgeTypeMasks;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A graph of the Open Graph Benchmark with several types of vertices, as `ogbn-mag` is published:
///
/// | file | content |
/// |---|---|
/// | `raw/num-node-dict.csv.gz` | the names of the types of vertices, and below the number of each |
/// | `raw/triplet-type-list.csv.gz` | a line for each type of edges: type of sources, name, type of targets |
/// | `raw/relations/SOURCE___NAME___TARGET/` | `edge.csv.gz`, `num-edge-list.csv.gz` |
/// | `raw/node-feat/TYPE/node-feat.csv.gz` | features of the vertices of a type, if they have some |
/// | `raw/node-label/TYPE/node-label.csv.gz` | their classes, of one type at most |
/// | `split/SPLIT/TYPE/` | their parts |
///
/// Vertices are numbered from 0 in each type. Here they are numbered one type after the other, in
/// the alphabetical order of the types. Features have columns of their own for each type that has
/// some, and then a column for each type, which is 1 for its vertices: those of no other features
/// have this one.
final class OgbTypedGraph {
  /// The list of the types of edges, by which such a graph is recognised.
  static final String RELATIONS = "triplet-type-list" + OgbTexts.ENDING;

  private static final String COUNTS = "num-node-dict" + OgbTexts.ENDING;
  private static final String OF_FEATURES = "node-feat";
  private static final String OF_LABELS = "node-label";

  private static final Set<String> READ =
      Set.of(
          "num-node-dict",
          "triplet-type-list",
          "edge",
          "num-edge-list",
          OF_FEATURES,
          OF_LABELS,
          "nodetype-has-feat",
          "nodetype-has-label");

  /// Names of types are names of folders.
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-][\\p{L}\\p{N}_.-]*");

  private static final String A_NAME = "the name of a type";

  /// A type of edges.
  ///
  /// @param source number of the type of sources
  /// @param name which other types may have, between other vertices
  /// @param target number of the type of targets
  private record Relation(int source, String name, int target) {}

  private final Path raw;
  private final List<Path> files;
  private final DatasetDraft draft;
  private final List<GraphTypes.OfVertices> types;
  private final int[] first;

  private OgbTypedGraph(Path raw, DatasetDraft draft) {
    this.raw = raw;
    this.draft = draft;
    files = Datasets.filesBelow(raw);
    types = types(raw.resolve(COUNTS));
    first = new int[types.size() + 1];
    String counts = raw.resolve(COUNTS).toString();
    long bytes = bytes();
    long sum = 0;
    for (int t = 0; t < types.size(); t++) {
      sum += types.get(t).count();
      first[t + 1] = DatasetDraft.size(counts, "vertices", sum, bytes);
    }
  }

  /// Reads a graph.
  ///
  /// @param raw folder of the graph
  /// @param split folder of the parts; null for none
  /// @param draft that receives it
  static void read(Path raw, @Nullable Path split, DatasetDraft draft, ReadOptions options) {
    OgbTypedGraph graph = new OgbTypedGraph(raw, draft);
    graph.edges(options);
    graph.labels();
    graph.features();
    if (split != null) {
      graph.parts(split);
    }
    OgbTexts.dropOthers(draft, graph.files, READ);
  }

  private static List<GraphTypes.OfVertices> types(Path file) {
    List<GraphTypes.OfVertices> types = new ArrayList<>();
    try (FieldScanner in = new FieldScanner(file)) {
      in.separator(',');
      List<String> names = new ArrayList<>();
      in.nextLine();
      while (in.nextField()) {
        names.add(name(in));
      }
      if (Set.copyOf(names).size() < names.size()) {
        throw in.wrong("different names of types of vertices", names.toString());
      }
      if (!in.nextLine()) {
        throw in.wrong("the number of vertices of each type", "the end of the file");
      }
      for (String name : names) {
        int count = (int) in.nextLong("a number of vertices", 0, Integer.MAX_VALUE);
        types.add(new GraphTypes.OfVertices(name, count));
      }
      in.requireEndOfLine();
      in.requireEndOfFile();
    }
    types.sort(Comparator.comparing(GraphTypes.OfVertices::name));
    return types;
  }

  private static String name(FieldScanner in) {
    String name = in.fieldText();
    if (!NAME.matcher(name).matches()) {
      throw in.wrong(A_NAME + " (letters, digits, '_', '-', '.')", "'" + name + "'");
    }
    return name;
  }

  /// What is unpacked at most of the files that have a line for each edge or vertex: as many
  /// vertices as they have room for are believed.
  private long bytes() {
    long bytes = 0;
    for (Path file : files) {
      try (FieldScanner in = new FieldScanner(file)) {
        bytes += in.bytes();
      }
    }
    return bytes;
  }

  private int type(FieldScanner in) {
    String name = fieldOf(in);
    for (int t = 0; t < types.size(); t++) {
      if (types.get(t).name().equals(name)) {
        return t;
      }
    }
    String known = String.join(", ", types.stream().map(GraphTypes.OfVertices::name).toList());
    throw in.wrong("one of the types of vertices %s".formatted(known), "'" + name + "'");
  }

  private static String fieldOf(FieldScanner in) {
    if (!in.nextField()) {
      throw in.wrong(A_NAME, "the end of the line");
    }
    return name(in);
  }

  private List<Relation> relations() {
    List<Relation> relations = new ArrayList<>();
    try (FieldScanner in = new FieldScanner(raw.resolve(RELATIONS))) {
      in.separator(',');
      Set<Relation> distinct = new HashSet<>();
      while (in.nextLineWithout("")) {
        in.rewind();
        Relation relation = new Relation(type(in), fieldOf(in), type(in));
        in.requireEndOfLine();
        if (!distinct.add(relation)) {
          throw in.wrong("different types of edges", in.lineText() + " again");
        }
        relations.add(relation);
      }
      if (relations.isEmpty() || relations.size() > GraphTypes.MOST_EDGES) {
        throw in.wrong(
            "1 to %d types of edges".formatted(GraphTypes.MOST_EDGES),
            Integer.toString(relations.size()));
      }
    }
    return relations;
  }

  private String triplet(Relation relation, String separator) {
    return String.join(
        separator,
        types.get(relation.source()).name(),
        relation.name(),
        types.get(relation.target()).name());
  }

  /// The names of types of edges: with those of their vertices where several have the same.
  private List<String> names(List<Relation> relations) {
    return relations.stream()
        .map(relation -> {
          long same = relations.stream().filter(r -> r.name().equals(relation.name())).count();
          return same == 1 ? relation.name() : triplet(relation, " ");
        })
        .toList();
  }

  private void edges(ReadOptions options) {
    List<Relation> relations = relations();
    try (Resources buffers = new Resources()) {
      List<ArcBuffer> arcs = new ArrayList<>();
      for (Relation relation : relations) {
        arcs.add(buffers.add(arcs(relation, options)));
      }
      boolean directed = options.directedOr(false);
      draft.graph(first[types.size()], new AllArcs(arcs), !directed);
      draft.types(new GraphTypes(types, names(relations), masks(arcs, directed)));
    }
  }

  private ArcBuffer arcs(Relation relation, ReadOptions options) {
    Path folder = raw.resolve("relations").resolve(triplet(relation, "___"));
    Path edges = folder.resolve(OgbTexts.EDGES);
    return Resources.handedOver(
        new ArcBuffer(false),
        arcs -> {
          try (FieldScanner in = new FieldScanner(edges, options.progress())) {
            in.separator(',');
            int source = relation.source();
            int target = relation.target();
            arcs.addLines(
                in,
                first[source],
                types.get(source).count(),
                first[target],
                types.get(target).count());
          }
          long counted = OgbTexts.count(folder.resolve(OgbTexts.EDGE_COUNT));
          OgbTexts.requireEdges(edges.toString(), arcs.size(), counted);
          return arcs;
        });
  }

  private @Nullable MemorySegment masks(List<ArcBuffer> arcs, boolean directed) {
    if (arcs.size() == 1) {
      return null;
    }
    EdgeTypeMasks masks = new EdgeTypeMasks(draft.arena(), draft.adjacency(), directed);
    for (int t = 0; t < arcs.size(); t++) {
      int type = t;
      arcs.get(t).forEach((source, target, weight) -> masks.add(type, source, target));
    }
    return masks.masks();
  }

  /// The arcs of all types.
  private record AllArcs(List<ArcBuffer> ofTypes) implements Arcs {
    @Override
    public long size() {
      return ofTypes.stream().mapToLong(Arcs::size).sum();
    }

    @Override
    public long loops() {
      return ofTypes.stream().mapToLong(Arcs::loops).sum();
    }

    @Override
    public boolean weighted() {
      return false;
    }

    @Override
    public void forEach(Sink sink) {
      ofTypes.forEach(arcs -> arcs.forEach(sink));
    }
  }

  /// The types that have a file in a folder of their own.
  private List<Integer> having(String folder, String file) {
    return IntStream.range(0, types.size())
        .filter(t -> types.get(t).count() > 0 && Files.exists(of(t, folder).resolve(file)))
        .boxed()
        .toList();
  }

  private Path of(int type, String folder) {
    return raw.resolve(folder).resolve(types.get(type).name());
  }

  private void labels() {
    List<Integer> labelled = having(OF_LABELS, OgbTexts.LABELS);
    if (labelled.size() > 1) {
      throw new InvalidInputException(
          "%s: expected classes of one type of vertices, found those of %s"
              .formatted(
                  raw.resolve(OF_LABELS),
                  String.join(" and ", labelled.stream().map(t -> types.get(t).name()).toList())));
    }
    for (int t : labelled) {
      try (FieldScanner in = new FieldScanner(of(t, OF_LABELS).resolve(OgbTexts.LABELS))) {
        ClassLabels read = ClassLabels.of(in, types.get(t).count());
        int[] all = new int[first[types.size()]];
        Arrays.fill(all, GraphData.UNLABELLED);
        System.arraycopy(read.labels(), 0, all, first[t], types.get(t).count());
        draft.labels(all, read.names());
      }
    }
  }

  private void parts(Path split) {
    byte[] parts = new byte[first[types.size()]];
    for (int t = 0; t < types.size(); t++) {
      Path folder = split.resolve(types.get(t).name());
      if (Files.isDirectory(folder)) {
        OgbTexts.parts(folder, parts, first[t], types.get(t).count());
      }
    }
    draft.split(parts);
  }

  private void features() {
    List<Integer> having = having(OF_FEATURES, OgbTexts.FEATURES);
    if (!having.isEmpty()) {
      draft.features(() -> Resources.owned(opened -> new Rows(having, opened)));
    }
  }

  /// The features of all vertices.
  private final class Rows implements FileRows {
    private final Resources opened;
    private final @Nullable TextRows[] ofTypes = new TextRows[types.size()];
    private final int[] column = new int[types.size()];
    private final int marks;

    Rows(List<Integer> having, Resources opened) {
      this.opened = opened;
      int width = 0;
      for (int t : having) {
        Path file = of(t, OF_FEATURES).resolve(OgbTexts.FEATURES);
        TextRows rows = opened.add(TextRows.open(file, types.get(t).count(), "vertex"));
        ofTypes[t] = rows;
        column[t] = width;
        width += rows.width();
      }
      marks = width;
    }

    @Override
    public int width() {
      return marks + types.size();
    }

    @Override
    public void fill(long begin, DenseMatrix block) {
      block.fill(0f);
      long end = begin + block.rows();
      for (int t = 0; t < types.size(); t++) {
        long from = Math.max(begin, first[t]);
        long to = Math.min(end, first[t + 1]);
        if (from < to) {
          fill(t, from - first[t], block.rows(from - begin, to - begin));
        }
      }
    }

    private void fill(int type, long begin, DenseMatrix block) {
      for (long v = 0; v < block.rows(); v++) {
        block.set(v, marks + type, 1f);
      }
      TextRows rows = ofTypes[type];
      if (rows == null) {
        return;
      }
      try (Arena arena = Arena.ofConfined()) {
        DenseMatrix own = DenseMatrix.allocate(arena, block.rows(), rows.width());
        rows.fill(begin, own);
        for (long v = 0; v < own.rows(); v++) {
          for (int f = 0; f < own.cols(); f++) {
            block.set(v, column[type] + f, own.get(v, f));
          }
        }
      }
    }

    @Override
    public void close() {
      opened.close();
    }
  }
}
