package dev.gossamer.pruned.layers;

import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.ComparisonGroup;
import dev.gossamer.pruned.prune.Structure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A network as a chain of blocks, between which a pipeline may divide it. A stage has the blocks
/// `begin..end-1`, with layouts of their parameters and statistics only.
///
/// @param name of the network in log lines
/// @param blocks at least one; the output of each has the shape of the next one's input
public record LayerNetwork(String name, List<Layer> blocks) {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if there is no block or shapes do not fit
  public LayerNetwork {
    blocks = new Sequence(blocks).layers();
  }

  /// {@return the shape of an input sample}
  public Shape input() {
    return blocks.getFirst().input();
  }

  /// {@return the shape of an output sample: logits}
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

  /// {@return the layout of the parameters of the blocks `begin..end-1`}
  ///
  /// @param begin first block
  /// @param end the block after the last
  public ParameterLayout layout(int begin, int end) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    blocks.subList(begin, end).forEach(block -> block.declare(layout));
    return layout.build();
  }

  /// {@return the layout of all parameters}
  public ParameterLayout layout() {
    return layout(0, blocks.size());
  }

  /// {@return the layout of the statistics of the blocks `begin..end-1`}
  ///
  /// @param begin first block
  /// @param end the block after the last
  public ParameterLayout statistics(int begin, int end) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    blocks.subList(begin, end).forEach(block -> block.declareStatistics(layout));
    return layout.build();
  }

  /// {@return the layout of all statistics}
  public ParameterLayout statistics() {
    return statistics(0, blocks.size());
  }

  /// Initialises parameters of the blocks `begin..end-1`. Values do not depend on the division into
  /// stages.
  ///
  /// @param begin first block
  /// @param end the block after the last
  /// @param first initial values of all parameters of the blocks, or of some
  public void initialise(int begin, int end, Initialisation first) {
    blocks.subList(begin, end).forEach(block -> block.initialise(first));
  }

  /// {@return the units that can be removed from the network, layer by layer: channels of
  /// convolutions, heads of attention, and neurons} Units in residual sums, tokens and classes
  /// cannot be removed.
  public List<Structure> structures() {
    return StructureSearch.of(whole());
  }

  /// Returns the network with fewer units.
  ///
  /// @param widths units by the name of the [Structure]; others are unchanged
  /// @return the smaller network, with the same blocks and parameter names
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

  /// {@return the elements of each matrix that magnitude pruning compares, by its name; by default
  /// the whole matrix} Each token and class is pruned separately: one that never occurs gets large,
  /// meaningless weights, which would otherwise be the only survivors of embedding and logits.
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

  /// {@return the elementary layers of blocks, in the order of the forward pass}
  ///
  /// @param of blocks of this network
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

  /// {@return the number of parameters, including vectors}
  public long parameters() {
    return layout().count();
  }

  /// {@return floating-point operations of products in the forward pass of one sample}
  public double operations() {
    return whole().operations();
  }
}
