package dev.gossamer.onnx;

import dev.gossamer.ModelDescription;
import dev.gossamer.ModelOutputs;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.stack.NetworkSettings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/// What the file of a model of a graph says besides its graph: texts, and lists of names in JSON.
final class GraphMetadata {
  private GraphMetadata() {}

  static Map<String, String> of(ModelDescription description) {
    ModelOutputs outputs = description.outputs();
    Map<String, String> metadata = new TreeMap<>();
    metadata.put("task", InvalidSettingException.nameOf(outputs.task()));
    switch (outputs.task()) {
      case CLASSIFICATION -> metadata.put("classes", json(outputs.names()));
      case MULTI_LABEL -> metadata.put("labels", json(outputs.names()));
      case REGRESSION -> metadata.put("numbers", json(outputs.names()));
      case LINKS -> {
        List<String> types = description.network().decoder().types();
        if (types.size() > 1) {
          metadata.put("pair_types", json(types));
        }
      }
    }
    if (outputs.decision().threshold() != null) {
      metadata.put("threshold", outputs.decision().threshold().toString());
    }
    if (!description.features().names().isEmpty()) {
      metadata.put("features", json(description.features().names()));
    }
    ModelDescription.Edges edges = description.edges();
    if (edges != null) {
      metadata.put("edges", edges.directed() ? "directed" : "undirected");
    }
    List<String> relations = description.network().kind().relations();
    if (!relations.isEmpty()) {
      metadata.put("relations", json(relations));
    }
    return metadata;
  }

  /// What a person reads in the file.
  static String words(ModelDescription description) {
    NetworkSettings network = description.network();
    ModelDescription.Edges edges = description.edges();
    String given =
        edges == null || (!network.seesGraph() && network.precomputed().isNone())
            ? ""
            : edges.directed()
                ? " Edges lead from the first row to the second; repeated ones are merged, self loops count."
                : " Edges are given in one direction or in both; repeated ones are merged, self loops ignored.";
    return "A graph network of Gossamer. Features are given as in the data set, without scaling."
        + given;
  }

  private static String json(List<String> names) {
    return JsonMapper.shared().writeValueAsString(names);
  }
}
