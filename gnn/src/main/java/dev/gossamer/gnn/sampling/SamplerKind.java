package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.function.Function;

/// The registration of a sampler: its name, what it reads of a request, and how it is made.
///
/// @param name as a user writes it, in lower case with hyphens
/// @param reads components of a request that it reads, beside layers and batch size
/// @param maker makes it from a request that gives no other components
public record SamplerKind(
    String name, List<String> reads, Function<SamplerRequest, Sampler> maker) {
  /// Keeps a copy of the components.
  public SamplerKind {
    reads = List.copyOf(reads);
  }

  /// Makes the sampler.
  ///
  /// @param request layers, batch size, and numbers of components
  /// @return the sampler
  /// @throws InvalidSettingException if the request gives a component that the sampler does not
  ///   read, or a number that it cannot have
  public Sampler make(SamplerRequest request) {
    for (String component : request.given().keySet()) {
      if (!reads.contains(component)) {
        throw new InvalidSettingException(
            "{%s}: not a setting of {sampler} %s; leave it out".formatted(component, name));
      }
    }
    return maker.apply(request);
  }

  /// {@return whether the sampler takes means, however it is made; see [Sampler#takesMeans]}
  public boolean takesMeans() {
    return make(SamplerRequest.ofLayers(1)).takesMeans();
  }
}
