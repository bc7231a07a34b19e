package dev.gossamer;

import dev.gossamer.base.io.SegmentPieces;
import dev.gossamer.gnn.objective.ClassObjective;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Links;
import dev.gossamer.graph.Relations;
import dev.gossamer.graph.Targets;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.dense.ClassLoss;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// What identifies the parts of a data set that decide training, so that a run that is resumed on
/// others can say which: number of bytes and CRC-32C of each. Against mistakes, not against malice,
/// at the speed of memory; [dev.gossamer.graph.format.Fingerprint] is for publishing.
final class DataParts {
  private static final String EDGE_FEATURES = "edge features";
  private static final String TRAINING_EDGES = "training edges";
  private static final String VALIDATION_EDGES = "validation edges";
  private static final String TEST_EDGES = "test edges";

  /// Parts that older versions did not record.
  static final Set<String> LATER =
      Set.of(EDGE_FEATURES, TRAINING_EDGES, VALIDATION_EDGES, TEST_EDGES);

  private final CRC32C sum = new CRC32C();
  private long bytes;

  private DataParts() {}

  /// {@return the parts of a data set, by name} Cost: one pass over the data.
  ///
  /// @param training what a network is trained for on it, and what its layers read
  static SortedMap<String, String> of(GraphData data, NetworkTraining training) {
    SortedMap<String, String> parts = new TreeMap<>();
    CsrMatrix graph = data.adjacency();
    parts.put("graph", new DataParts().add(graph.rowPointers()).add(graph.columns()).text());
    MemorySegment weights = graph.values();
    Relations relations = data.relations();
    if (weights != null && relations != null) {
      DataParts types = new DataParts().add(weights);
      types.add(MemorySegment.ofArray(relations.toString().getBytes(StandardCharsets.UTF_8)));
      parts.put("edge types", types.text());
    } else if (weights != null) {
      parts.put("edge weights", new DataParts().add(weights).text());
    }
    EdgeFeatures ofEdges = data.edgeFeatures();
    if (ofEdges != null && training.network().kind().edgeFeatures() > 0) {
      parts.put(EDGE_FEATURES, new DataParts().add(ofEdges.x().data()).text());
    }
    LinkTask links = data.links();
    if (links != null) {
      parts.put(TRAINING_EDGES, of(links.parts().train()));
      parts.put(VALIDATION_EDGES, of(links.parts().validation()));
      parts.put(TEST_EDGES, of(links.parts().test()));
    }
    DataParts features = new DataParts();
    data.features().segments().forEach(features::add);
    parts.put(
        "features",
        switch (data.features()) {
          case Features.None _ -> "none";
          case Features.Dense _ -> "dense " + features.text();
          case Features.Sparse _ -> "sparse " + features.text();
        });
    parts.put("labels", new DataParts().add(MemorySegment.ofArray(data.labels())).text());
    Targets targets = data.targets();
    if (targets != null) {
      parts.put("targets", new DataParts().add(targets.values().data()).text());
    }
    parts.put("split", new DataParts().add(MemorySegment.ofArray(data.split())).text());
    String names = String.join("\n", data.outputNames());
    byte[] named = names.getBytes(StandardCharsets.UTF_8);
    parts.put("class names", new DataParts().add(MemorySegment.ofArray(named)).text());
    float[] classWeights =
        training.objective() instanceof ClassObjective(ClassLoss loss, _)
            ? loss.classWeights()
            : null;
    if (classWeights != null) {
      parts.put("class weights", new DataParts().add(MemorySegment.ofArray(classWeights)).text());
    }
    return parts;
  }

  private static String of(Links edges) {
    return new DataParts()
        .add(MemorySegment.ofArray(edges.sources()))
        .add(MemorySegment.ofArray(edges.targets()))
        .add(MemorySegment.ofArray(edges.types()))
        .text();
  }

  private DataParts add(MemorySegment data) {
    SegmentPieces.forEach(data, (piece, length) -> sum.update(piece, 0, length));
    bytes += data.byteSize();
    return this;
  }

  private String text() {
    return "%d bytes, CRC-32C %08x".formatted(bytes, sum.getValue());
  }
}
