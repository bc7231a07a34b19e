package dev.gossamer.pruned.prune;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Masks as safetensors files: a `U8` tensor of bits for each matrix that is pruned, the first
/// element in the lowest bit of the first byte, with the matrix's shape in the metadata.
public final class MaskFile {
  private static final String FORMAT = "format";
  private static final String NAME = "gossamer-mask";

  private MaskFile() {}

  /// Writes a mask atomically.
  ///
  /// @param file safetensors
  /// @param mask of a network
  /// @throws InvalidInputException if it cannot be written
  public static void write(Path file, Mask mask) {
    Map<String, String> metadata = new HashMap<>();
    metadata.put(FORMAT, NAME);
    Map<String, Safetensors.Tensor> tensors = tensors(mask);
    for (String name : tensors.keySet()) {
      metadata.put(shapeOf(name), shape(mask.layout().entry(name)));
    }
    new Safetensors(tensors, metadata).write(file);
  }

  /// {@return the bits of each matrix that is pruned, by its name}
  ///
  /// @param mask of a network
  public static Map<String, Safetensors.Tensor> tensors(Mask mask) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : mask.layout().entries()) {
      if (mask.prunes(entry.name())) {
        MemorySegment data = Arena.ofAuto().allocate(MaskBits.bytes(entry.count()));
        MaskBits.write(mask, entry, data);
        tensors.put(
            entry.name(),
            new Safetensors.Tensor(Safetensors.Dtype.U8, List.of(data.byteSize()), data));
      }
    }
    return tensors;
  }

  /// Reads a mask for a network.
  ///
  /// @param file safetensors
  /// @param layout of the network
  /// @return the mask
  /// @throws InvalidInputException if the file cannot be read, is not a mask, or is for another
  ///   network
  public static Mask read(Path file, ParameterLayout layout) {
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = open(arena, file);
      for (String name : tensors.tensors().keySet()) {
        ParameterLayout.Entry entry = entry(file, layout, name);
        requireShape(file, name, shape(entry), tensors);
      }
      return mask(file, tensors, layout);
    }
  }

  /// Reads a mask without a network: its layout has only the matrices that are pruned.
  ///
  /// @param file safetensors
  /// @return the mask
  /// @throws InvalidInputException if the file cannot be read or is not a mask
  public static Mask read(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = open(arena, file);
      ParameterLayout.Builder layout = ParameterLayout.builder();
      for (String name : tensors.tensors().keySet()) {
        String shape = tensors.metadata().getOrDefault(shapeOf(name), "none");
        String[] sizes = shape.split(" x ", -1);
        if (!shape.matches("[0-9]{1,9} x [0-9]{1,9}")) {
          throw new InvalidInputException(
              "%s: tensor %s: expected the shape of a matrix in the metadata, found %s"
                  .formatted(file, name, shape));
        }
        layout.add(name, Integer.parseInt(sizes[0]), Integer.parseInt(sizes[1]), true);
      }
      return mask(file, tensors, layout.build());
    }
  }

  /// {@return whether a file exists and is marked as a mask}
  ///
  /// @param file safetensors
  /// @throws InvalidInputException if it is not a safetensors file
  public static boolean isMask(Path file) {
    if (!Files.exists(file)) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      return NAME.equals(Safetensors.open(arena, file).metadata().get(FORMAT));
    }
  }

  private static Safetensors open(Arena arena, Path file) {
    Safetensors tensors = Safetensors.open(arena, file);
    String format = tensors.metadata().getOrDefault(FORMAT, "none");
    if (!format.equals(NAME)) {
      throw new InvalidInputException(
          "%s: expected the format %s in the metadata, found %s".formatted(file, NAME, format));
    }
    return tensors;
  }

  private static Mask mask(Path file, Safetensors tensors, ParameterLayout layout) {
    Map<String, BitSet> kept = new HashMap<>();
    for (String name : tensors.tensors().keySet()) {
      kept.put(name, bits(file, tensors, name, layout.entry(name).count()));
    }
    return new Mask(layout, kept);
  }

  /// {@return the bits in a tensor}
  ///
  /// @param file named in errors
  /// @param tensors of the file
  /// @param name of the tensor
  /// @param elements of the matrix
  /// @throws InvalidInputException if there is no such tensor, or it has the wrong size
  public static BitSet bits(Path file, Safetensors tensors, String name, long elements) {
    MemorySegment data =
        tensors.require(file, name, Safetensors.Dtype.U8, MaskBits.bytes(elements)).data();
    BitSet bits = MaskBits.read(data);
    if (bits.length() > elements) {
      throw new InvalidInputException(
          "%s: tensor %s: expected no bits beyond element %d, found %d"
              .formatted(file, name, elements - 1, bits.length() - 1));
    }
    return bits;
  }

  private static void requireShape(Path file, String name, String expected, Safetensors tensors) {
    String found = tensors.metadata().getOrDefault(shapeOf(name), "none");
    if (!found.equals(expected)) {
      throw new InvalidInputException(
          "%s: tensor %s: expected the mask of a %s matrix, found %s"
              .formatted(file, name, expected, found));
    }
  }

  private static ParameterLayout.Entry entry(Path file, ParameterLayout layout, String name) {
    return layout.entries().stream()
        .filter(entry -> entry.name().equals(name) && Mask.prunable(entry))
        .findFirst()
        .orElseThrow(() ->
            new InvalidInputException(
                "%s: tensor %s: expected the name of a matrix of this network, found none"
                    .formatted(file, name)));
  }

  private static String shapeOf(String name) {
    return "shape of " + name;
  }

  private static String shape(ParameterLayout.Entry entry) {
    return entry.rows() + " x " + entry.cols();
  }
}
