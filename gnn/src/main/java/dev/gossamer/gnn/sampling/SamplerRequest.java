package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request for a sampler that is chosen by name: numbers by the names of its components.
/// Components that are not given have the sampler's defaults.
///
/// @param layers of the network
/// @param batchSize training vertices of a batch; for subgraphs, the number of draws
/// @param given numbers of each given component, in the given order
public record SamplerRequest(int layers, int batchSize, Map<String, List<Integer>> given) {
  /// Checks layers and batch size, and keeps a copy of what is given.
  ///
  /// @throws InvalidSettingException if there is no layer or a batch has no vertex
  public SamplerRequest {
    InvalidSettingException.requireAtLeast("layers", layers, 1);
    InvalidSettingException.requireAtLeast("batchSize", batchSize, 1);
    Map<String, List<Integer>> copy = new LinkedHashMap<>();
    given.forEach((component, numbers) -> copy.put(component, List.copyOf(numbers)));
    given = Collections.unmodifiableMap(copy);
  }

  /// Returns a request with all defaults.
  ///
  /// @param layers of the network
  /// @return a request
  public static SamplerRequest ofLayers(int layers) {
    return new SamplerRequest(layers, Samplers.DEFAULT_BATCH_SIZE, Map.of());
  }

  /// {@return a copy with another batch size}
  ///
  /// @param size training vertices of a batch; for subgraphs, the number of draws
  public SamplerRequest withBatchSize(int size) {
    return new SamplerRequest(layers, size, given);
  }

  /// {@return a copy with numbers for a component}
  ///
  /// @param component such as `fanouts`
  /// @param numbers one for all layers, or one for each, the output layer first; null for the
  ///   default
  public SamplerRequest with(String component, @Nullable List<Integer> numbers) {
    if (numbers == null) {
      return this;
    }
    Map<String, List<Integer>> more = new LinkedHashMap<>(given);
    more.put(component, numbers);
    return new SamplerRequest(layers, batchSize, more);
  }

  /// {@return the numbers of a component, one for each layer}
  ///
  /// @param component that has the numbers, such as `fanouts`
  /// @param usual number of each layer if none is given
  /// @throws InvalidSettingException if there is neither one nor one per layer
  public List<Integer> perLayer(String component, int usual) {
    List<Integer> numbers = given.getOrDefault(component, List.of(usual));
    if (numbers.size() != 1 && numbers.size() != layers) {
      throw new InvalidSettingException(
          "{%s}: expected 1 or %d numbers for %d layers, found %d"
              .formatted(component, layers, layers, numbers.size()));
    }
    return numbers.size() == 1 ? Collections.nCopies(layers, numbers.getFirst()) : numbers;
  }

  /// {@return the number of a component that is the same for all layers}
  ///
  /// @param component that has the numbers, such as `fanouts`
  /// @param usual number if none is given
  /// @throws InvalidSettingException if there are several
  public int number(String component, int usual) {
    List<Integer> numbers = given.getOrDefault(component, List.of(usual));
    if (numbers.size() != 1) {
      throw new InvalidSettingException(
          "{%s}: expected one number, found %d".formatted(component, numbers.size()));
    }
    return numbers.getFirst();
  }
}
