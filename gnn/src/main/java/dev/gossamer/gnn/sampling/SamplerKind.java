package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.function.Function;

/// The registration of a sampler: its name, the components of a request that it reads, and a
/// factory.
///
/// @param name in lower case with hyphens
/// @param reads components of a request that it reads, besides layers and batch size
/// @param maker creates it from a request without other components
public record SamplerKind(
    String name, List<String> reads, Function<SamplerRequest, Sampler> maker) {
  /// Keeps a copy of the components.
  public SamplerKind {
    reads = List.copyOf(reads);
  }

  /// Creates the sampler.
  ///
  /// @param request layers, batch size, and numbers of components
  /// @return the sampler
  /// @throws InvalidSettingException if the request has a component that the sampler does not read,
  ///   or an invalid number
  public Sampler make(SamplerRequest request) {
    for (String component : request.given().keySet()) {
      if (!reads.contains(component)) {
        throw new InvalidSettingException(
            "{%s}: not a setting of {sampler} %s; leave it out".formatted(component, name));
      }
    }
    return maker.apply(request);
  }

  /// {@return whether the sampler takes means; see [Sampler#takesMeans]}
  public boolean takesMeans() {
    return make(SamplerRequest.ofLayers(1)).takesMeans();
  }
}
