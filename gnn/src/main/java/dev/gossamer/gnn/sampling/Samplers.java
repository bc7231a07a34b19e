package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;

/// The samplers that can be chosen by name, and their defaults. A new sampler is a [Sampler] in its
/// own file and one entry here.
public final class Samplers {
  /// The default sampler of networks that look at neighbours, used in most papers.
  public static final String DEFAULT_NAME = SageSampler.NAME;

  /// Training vertices of a batch; for subgraphs, the number of draws. MBS measures LADIES with
  /// this size.
  public static final int DEFAULT_BATCH_SIZE = 512;

  /// Neighbours per vertex: the middle one of 15, 10, 5, with which MBS measures GraphSAGE.
  public static final int DEFAULT_FANOUT = 10;

  /// Steps of a walk: the fewest after which a subgraph has paths between neighbours of a root.
  public static final int DEFAULT_WALK_LENGTH = 2;

  /// Average occurrences of a vertex in the subgraphs that are drawn for counting (GraphSAINT,
  /// section 3.2). The inverse of a count is biased upwards by about the inverse of this number,
  /// that of an edge by more; the bias of the paper's 50 is measurable within a thousand batches.
  public static final int DEFAULT_OCCURRENCES = 200;

  private static final List<SamplerKind> ALL =
      List.of(
          new SamplerKind(
              SageSampler.NAME,
              List.of("fanouts"),
              request -> new SageSampler(request.perLayer("fanouts", DEFAULT_FANOUT))),
          new SamplerKind(
              LadiesSampler.NAME,
              List.of("layerSizes"),
              request -> new LadiesSampler(layerSizes(request))),
          new SamplerKind(
              FastGcnSampler.NAME,
              List.of("layerSizes"),
              request -> new FastGcnSampler(layerSizes(request))),
          new SamplerKind(
              SaintNodeSampler.NAME,
              List.of(),
              request -> new SaintNodeSampler(request.layers(), request.batchSize())),
          new SamplerKind(
              SaintEdgeSampler.NAME,
              List.of(),
              request -> new SaintEdgeSampler(request.layers(), request.batchSize())),
          new SamplerKind(
              SaintWalkSampler.NAME,
              List.of("walkLength"),
              request ->
                  new SaintWalkSampler(
                      request.layers(),
                      request.batchSize(),
                      request.number("walkLength", DEFAULT_WALK_LENGTH),
                      DEFAULT_OCCURRENCES)),
          new SamplerKind(
              NoNeighbours.NAME, List.of(), request -> new NoNeighbours(request.layers())));

  private Samplers() {}

  private static LayerSizes layerSizes(SamplerRequest request) {
    return request.given().containsKey("layerSizes")
        ? LayerSizes.of(request.perLayer("layerSizes", 1))
        : LayerSizes.usual(request.layers(), request.batchSize());
  }

  /// {@return the name of the default sampler}
  ///
  /// @param seesGraph whether the network looks at neighbours
  public static String usualName(boolean seesGraph) {
    return seesGraph ? DEFAULT_NAME : NoNeighbours.NAME;
  }

  /// {@return all samplers}
  public static List<SamplerKind> all() {
    return ALL;
  }

  /// {@return their names}
  public static List<String> names() {
    return ALL.stream().map(SamplerKind::name).toList();
  }

  /// {@return the sampler of a name, in any case}
  ///
  /// @param name of a sampler, in any case
  /// @throws InvalidSettingException if there is none
  public static SamplerKind of(String name) {
    return ALL.stream()
        .filter(kind -> kind.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidSettingException(
                "{sampler}: expected one of %s, found '%s'"
                    .formatted(String.join(", ", names()), name)));
  }
}
