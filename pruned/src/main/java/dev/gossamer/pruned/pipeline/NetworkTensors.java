package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.SparseProducts;
import dev.gossamer.nn.state.CompressedForm;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.nn.state.Safetensors.TensorSource;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.prune.MaskFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The tensors of a trained network: its parameters in float32 with zeros for pruned elements, the
/// statistics of batch normalisation, and the mask. Files are dense or compressed; see
/// `docs/formats.md`.
///
/// Immutable. The memory is freed with the object.
///
/// @param network that they belong to
/// @param tensors parameters and statistics by name, in the order of files
/// @param mask of all parameters
public record NetworkTensors(
    LayerNetwork network, Map<String, Safetensors.Tensor> tensors, Mask mask) {
  private static final String MASK = "mask.";
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Checks the components.
  public NetworkTensors {
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
  }

  /// Reads a network from a file of either form.
  ///
  /// @param file named in errors
  /// @param whole the opened file
  /// @param network that the file describes
  /// @param given mask; null to read it from the file: from its bits or, without bits, from the
  ///   nonzero elements
  /// @return the network
  /// @throws dev.gossamer.base.InvalidInputException if a tensor is missing, has another size, or
  ///   has elements that are not finite
  public static NetworkTensors read(
      Path file, Safetensors whole, LayerNetwork network, @Nullable Mask given) {
    Map<String, ParameterLayout.Entry> entries = new LinkedHashMap<>();
    network.layout().entries().forEach(entry -> entries.put(entry.name(), entry));
    network.statistics().entries().forEach(entry -> entries.put(entry.name(), entry));
    Map<String, BitSet> bits = new HashMap<>();
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (String name : whole.tensors().keySet()) {
      ParameterLayout.Entry entry = entries.remove(name);
      if (entry == null) {
        continue;
      }
      if (whole.tensors().containsKey(MASK + name)) {
        BitSet kept = MaskFile.bits(file, whole, MASK + name, entry.count());
        bits.put(name, kept);
        tensors.put(name, expanded(finite(file, whole, name, kept.cardinality()), entry, kept));
      } else {
        tensors.put(name, finite(file, whole, name, entry.count()));
      }
    }
    entries.forEach((name, entry) -> whole.require(file, name, entry.count()));
    Mask mask =
        given != null
            ? given
            : bits.isEmpty() ? nonzeros(network, tensors) : new Mask(network.layout(), bits);
    return new NetworkTensors(network, tensors, mask);
  }

  private static Safetensors.Tensor finite(Path file, Safetensors whole, String name, long count) {
    Safetensors.Tensor tensor = whole.require(file, name, count);
    Safetensors.requireFinite(file, name, tensor.data());
    return tensor;
  }

  /// {@return a network whose nonzero elements survive}
  ///
  /// @param network that the tensors belong to
  /// @param tensors parameters and statistics by name, in float32
  public static NetworkTensors of(LayerNetwork network, Map<String, Safetensors.Tensor> tensors) {
    return new NetworkTensors(network, tensors, nonzeros(network, tensors));
  }

  /// A matrix of which a file has the survivors alone.
  private static Safetensors.Tensor expanded(
      Safetensors.Tensor survivors, ParameterLayout.Entry entry, BitSet kept) {
    MemorySegment values = floats(Arena.ofAuto(), entry.count());
    long at = 0;
    for (int i = kept.nextSetBit(0); i >= 0; i = kept.nextSetBit(i + 1)) {
      values.setAtIndex(FLOAT, i, survivors.data().getAtIndex(FLOAT, at++));
    }
    return new Safetensors.Tensor(entry.shape(), values);
  }

  private static Mask nonzeros(LayerNetwork network, Map<String, Safetensors.Tensor> tensors) {
    ParameterLayout layout = network.layout();
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry entry : layout.where(Mask::prunable).entries()) {
      MemorySegment data = values(tensors, entry.name());
      BitSet bits = new BitSet();
      for (int i = 0; i < entry.count(); i++) {
        bits.set(i, data.getAtIndex(FLOAT, i) != 0);
      }
      kept.put(entry.name(), bits);
    }
    return new Mask(layout, kept);
  }

  /// {@return the values of a parameter or statistic, with zeros for pruned elements} Borrowed.
  ///
  /// @param name of a parameter or statistic
  /// @throws IllegalArgumentException if none has this name
  public MemorySegment values(String name) {
    return values(tensors, name);
  }

  private static MemorySegment values(Map<String, Safetensors.Tensor> tensors, String name) {
    Safetensors.Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("network: no tensor is named " + name);
    }
    return tensor.data();
  }

  /// {@return whether anything is pruned}
  public boolean isPruned() {
    return mask.count() < mask.layout().count();
  }

  /// {@return the parameters for forward passes, in float32: only the survivors of a pruned matrix,
  /// where that is faster}
  ///
  /// @param arena owner of the memory, which includes room for gradients
  /// @param workers borrowed
  public ModelState state(Arena arena, Workers workers) {
    ModelState state =
        isPruned()
            ? new CompressedState(
                arena,
                mask,
                CompressedForm.dense(NumberFormat.FLOAT32)
                    .withProducts((matrix, kept) ->
                        SparseProducts.relativeTime(matrix.rows(), matrix.cols(), kept) < 1))
            : new DenseState(arena, network.layout());
    firstRows().fill(state);
    state.refresh(workers);
    return state;
  }

  /// {@return all parameters with zeros for pruned elements, in a form for other programs}
  public Map<String, TensorSource> sources() {
    Map<String, TensorSource> sources = new LinkedHashMap<>();
    tensors.forEach((name, tensor) -> sources.put(name, TensorSource.of(tensor)));
    return sources;
  }

  /// {@return the survivors of pruned matrices, in the order of the mask's bits, and the bits}
  ///
  /// @param dense all parameters with zeros for pruned elements, by name
  /// @param mask of all parameters
  public static Map<String, TensorSource> compressed(Map<String, TensorSource> dense, Mask mask) {
    Map<String, TensorSource> all = new LinkedHashMap<>();
    dense.forEach((name, tensor) ->
        all.put(name, mask.prunes(name) ? survivors(name, tensor, mask) : tensor));
    MaskFile.tensors(mask).forEach((name, bits) -> all.put(MASK + name, TensorSource.of(bits)));
    return all;
  }

  private static TensorSource survivors(String name, TensorSource tensor, Mask mask) {
    return TensorSource.floats(
        List.of(mask.count(name)),
        arena -> {
          MemorySegment dense = tensor.data().apply(arena);
          BitSet bits = mask.survivors(name);
          MemorySegment values = floats(arena, bits.cardinality());
          long at = 0;
          for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
            values.setAtIndex(FLOAT, at++, dense.getAtIndex(FLOAT, i));
          }
          return values;
        });
  }

  /// {@return values for a network with the same parameters, or with only their first rows}
  ParameterValues firstRows() {
    return (entry, to) -> to.copyFrom(values(entry.name()).asSlice(0, to.byteSize()));
  }

  private static MemorySegment floats(Arena arena, long count) {
    return arena.allocate(count * Float.BYTES, DenseMatrix.ALIGNMENT);
  }
}
