package dev.gossamer.pruned.layers;

import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.ComparisonGroup;
import dev.gossamer.pruned.prune.Structure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A network as a chain of blocks, the units between which a pipeline may cut it. A stage has the
/// blocks `begin..end-1`, and layouts of their parameters and statistics alone.
///
/// @param name as log lines call it
/// @param blocks at least one; the output of each has the shape of the next one's input
public record LayerNetwork(String name, List<Layer> blocks) {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if there is no block or shapes do not fit
  public LayerNetwork {
    blocks = new Sequence(blocks).layers();
  }

  /// {@return what a sample looks like when it comes in}
  public Shape input() {
    return blocks.getFirst().input();
  }

  /// {@return what a sample looks like when it comes out: logits}
  public Shape output() {
    return blocks.getLast().output();
  }

  /// {@return the blocks `begin..end-1` as one layer}
  ///
  /// @param begin first block
  /// @param end the block after the last
  /// @throws IndexOutOfBoundsException if there are no such blocks
  public Sequence part(int begin, int end) {
    return new Sequence(blocks.subList(begin, end));
  }

  /// {@return all blocks as one layer}
  public Sequence whole() {
    return new Sequence(blocks);
  }

  /// {@return where the parameters of the blocks `begin..end-1` lie}
  ///
  /// @param begin first block
  /// @param end the block after the last
  public ParameterLayout layout(int begin, int end) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    blocks.subList(begin, end).forEach(block -> block.declare(layout));
    return layout.build();
  }

  /// {@return where all parameters lie}
  public ParameterLayout layout() {
    return layout(0, blocks.size());
  }

  /// {@return where the statistics of the blocks `begin..end-1` lie}
  ///
  /// @param begin first block
  /// @param end the block after the last
  public ParameterLayout statistics(int begin, int end) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    blocks.subList(begin, end).forEach(block -> block.declareStatistics(layout));
    return layout.build();
  }

  /// {@return where all statistics lie}
  public ParameterLayout statistics() {
    return statistics(0, blocks.size());
  }

  /// Gives parameters of the blocks `begin..end-1` their first values: those that they have in the
  /// whole network, however it is cut.
  ///
  /// @param begin first block
  /// @param end the block after the last
  /// @param first of all parameters of the blocks or some
  public void initialise(int begin, int end, Initialisation first) {
    blocks.subList(begin, end).forEach(block -> block.initialise(first));
  }

  /// {@return the units that can be removed from the network, layer by layer: channels of
  /// convolutions, heads of attention, and neurons} Those that are added to others have to stay,
  /// and so have tokens and classes.
  public List<Structure> structures() {
    return StructureSearch.of(whole());
  }

  /// Returns the network with fewer units.
  ///
  /// @param widths units by the name of the [Structure]; one that is not among them keeps its own
  /// @return the smaller network, with blocks, and names of parameters, as this one
  /// @throws IllegalArgumentException if there is no such structure, or it has fewer units
  public LayerNetwork resized(Map<String, Integer> widths) {
    Map<String, Integer> all = new HashMap<>();
    structures().forEach(each -> all.put(each.name(), each.units()));
    widths.forEach((layer, units) -> {
      int most = all.getOrDefault(layer, 0);
      if (units < 1 || units > most) {
        throw new IllegalArgumentException(
            most == 0
                ? "%s: expected a layer of %s whose units can be removed".formatted(layer, name)
                : "%s: expected 1..%d units, found %d".formatted(layer, most, units));
      }
    });
    return new LayerNetwork(name, new Resizing(widths).all(blocks, input()));
  }

  /// {@return which elements of a matrix are compared when each is pruned by magnitude, by its
  /// name; all of it where nothing is said} Tokens and classes are compared with themselves: one
  /// that never occurs is pushed away from all others, and its large weights, which say nothing,
  /// would be all that is left of embedding and logits.
  public Map<String, ComparisonGroup> comparisonGroups() {
    Map<String, ComparisonGroup> groups = new HashMap<>();
    List<Layer> layers = leaves(whole()).toList();
    for (Layer layer : layers) {
      if (layer instanceof TokenEmbedding embedding) {
        groups.put(embedding.tokens(), ComparisonGroup.ROW);
      }
    }
    if (layers.getLast() instanceof Linear logits) {
      groups.put(logits.weight(), ComparisonGroup.COLUMN);
    }
    return groups;
  }

  /// {@return the layers of some blocks that do not consist of others, in the order of the forward
  /// pass}
  ///
  /// @param of some of the blocks
  public List<Layer> leaves(List<Layer> of) {
    return of.stream().flatMap(LayerNetwork::leaves).toList();
  }

  /// {@return whether blocks share parameters, so that all of them have to be on one stage}
  public boolean sharesParameters() {
    return leaves(whole()).anyMatch(TiedHead.class::isInstance);
  }

  /// The layers without those that consist of others, in the order of the forward pass.
  private static Stream<Layer> leaves(Layer layer) {
    return switch (layer) {
      case Sequence sequence -> sequence.layers().stream().flatMap(LayerNetwork::leaves);
      case Residual residual ->
          Stream.concat(
              leaves(residual.body()),
              Stream.ofNullable(residual.shortcut()).flatMap(LayerNetwork::leaves));
      default -> Stream.of(layer);
    };
  }

  /// {@return parameters, vectors included}
  public long parameters() {
    return layout().count();
  }

  /// {@return floating-point operations of products in the forward pass of one sample}
  public double operations() {
    return whole().operations();
  }
}
