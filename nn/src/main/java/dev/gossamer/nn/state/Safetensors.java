package dev.gossamer.nn.state;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.base.io.NpyFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The safetensors format: 8 bytes little-endian header length, a JSON header, then the tensors'
/// bytes.
///
/// Supports only the element types in [Dtype]. The header is padded with blanks so that the first
/// tensor is aligned to 8 bytes. Files are validated: tensors must have at most [#MAX_DIMENSIONS],
/// be contiguous, and fill the file.
///
/// @param tensors by name, in file order
/// @param metadata the `__metadata__` object: strings only
public record Safetensors(Map<String, Tensor> tensors, Map<String, String> metadata) {
  private static final String METADATA = "__metadata__";
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Some hundred thousand tensors. Parsed, a header takes many times its bytes.
  private static final int MAX_HEADER = 16 << 20;

  /// Maximum number of dimensions of a tensor.
  public static final int MAX_DIMENSIONS = 8;

  /// Names, numbers and brackets of a header, at most: those of a quarter of a million tensors.
  /// What parsing takes is bounded by them, and not only by the bytes of the file.
  private static final int MAX_TOKENS = 1 << 22;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxTokenCount(MAX_TOKENS).build())
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  /// Element types, named as in files.
  public enum Dtype {
    /// IEEE 754 binary32.
    F32(Float.BYTES),
    /// IEEE 754 binary16.
    F16(Short.BYTES),
    /// Bfloat16: the upper half of a float32.
    BF16(Short.BYTES),
    /// 32-bit integers, signed.
    I32(Integer.BYTES),
    /// Bytes.
    U8(Byte.BYTES),
    /// Booleans, one byte each; only recognised by name.
    BOOL(Byte.BYTES);

    private final int bytes;

    Dtype(int bytes) {
      this.bytes = bytes;
    }

    /// {@return the bytes of one element}
    public int bytes() {
      return bytes;
    }

    private static Dtype named(Path file, String tensor, JsonNode node) {
      for (Dtype dtype : values()) {
        if (dtype.name().equals(node.asString(""))) {
          return dtype;
        }
      }
      throw new InvalidInputException(
          "%s: tensor %s: expected dtype F32, F16, BF16, I32, U8 or BOOL, found %s"
              .formatted(file, tensor, node));
    }
  }

  /// A tensor.
  ///
  /// @param dtype type of its elements
  /// @param shape its dimensions
  /// @param data row-major; borrowed
  public record Tensor(Dtype dtype, List<Long> shape, MemorySegment data) {
    /// Copies the shape.
    public Tensor {
      shape = List.copyOf(shape);
    }

    /// Creates a float32 tensor.
    ///
    /// @param shape its dimensions
    /// @param data row-major; borrowed
    public Tensor(List<Long> shape, MemorySegment data) {
      this(Dtype.F32, shape, data);
    }

    /// The same in memory in which its numbers can be read one by one: the format lets them begin
    /// at any byte.
    private Tensor aligned(Arena arena) {
      if (data.address() % dtype.bytes() == 0) {
        return this;
      }
      MemorySegment copy = arena.allocate(data.byteSize(), dtype.bytes());
      copy.copyFrom(data);
      return new Tensor(dtype, shape, copy.asReadOnly());
    }

    /// {@return the number of elements}
    public long count() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }
  }

  /// A tensor that is created when it is written, so that only one tensor at a time is in memory.
  ///
  /// @param dtype type of its elements
  /// @param shape its dimensions
  /// @param data row-major, borrowed or from the arena, which is closed after writing
  public record TensorSource(Dtype dtype, List<Long> shape, Function<Arena, MemorySegment> data) {
    /// Copies the shape.
    public TensorSource {
      shape = List.copyOf(shape);
    }

    /// {@return the source of an existing tensor}
    ///
    /// @param tensor borrowed
    public static TensorSource of(Tensor tensor) {
      return new TensorSource(tensor.dtype(), tensor.shape(), arena -> tensor.data());
    }

    /// {@return a float32 tensor}
    ///
    /// @param shape its dimensions
    /// @param data row-major, borrowed or from the arena
    public static TensorSource floats(List<Long> shape, Function<Arena, MemorySegment> data) {
      return new TensorSource(Dtype.F32, shape, data);
    }

    private long bytes() {
      return shape.stream().reduce((long) dtype.bytes(), Math::multiplyExact);
    }
  }

  /// Writes a file atomically.
  ///
  /// @param file the file
  public void write(Path file) {
    Map<String, TensorSource> sources = new LinkedHashMap<>();
    tensors.forEach((name, tensor) -> sources.put(name, TensorSource.of(tensor)));
    write(file, sources, metadata);
  }

  /// Writes a file of tensors that are created one by one, atomically.
  ///
  /// @param file the file
  /// @param tensors by name; created in this order
  /// @param metadata the `__metadata__` object
  public static void write(
      Path file, Map<String, TensorSource> tensors, Map<String, String> metadata) {
    byte[] header = header(tensors, metadata);
    AtomicOutput.file(
        file,
        temporary -> {
          try (FileChannel channel =
              FileChannel.open(
                  temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer length =
                ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(0, header.length);
            NpyFile.writeFully(channel, MemorySegment.ofBuffer(length));
            NpyFile.writeFully(channel, MemorySegment.ofArray(header));
            for (Map.Entry<String, TensorSource> tensor : tensors.entrySet()) {
              try (Arena arena = Arena.ofShared()) {
                NpyFile.writeFully(channel, made(tensor.getKey(), tensor.getValue(), arena));
              }
            }
          }
        });
  }

  private static MemorySegment made(String name, TensorSource tensor, Arena arena) {
    MemorySegment data = tensor.data().apply(arena);
    if (data.byteSize() != tensor.bytes()) {
      throw new IllegalArgumentException(
          "tensor %s: expected %d bytes for shape %s, found %d"
              .formatted(name, tensor.bytes(), tensor.shape(), data.byteSize()));
    }
    return data;
  }

  private static byte[] header(Map<String, TensorSource> tensors, Map<String, String> metadata) {
    ObjectNode root = JSON.createObjectNode();
    ObjectNode described = root.putObject(METADATA);
    new TreeMap<>(metadata).forEach(described::put);
    long offset = 0;
    for (Map.Entry<String, TensorSource> entry : tensors.entrySet()) {
      TensorSource tensor = entry.getValue();
      ObjectNode node = root.putObject(entry.getKey());
      node.put("dtype", tensor.dtype().name());
      ArrayNode shape = node.putArray("shape");
      tensor.shape().forEach(shape::add);
      long end = offset + tensor.bytes();
      node.putArray("data_offsets").add(offset).add(end);
      offset = end;
    }
    String text = JSON.writeValueAsString(root);
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    return (text + " ".repeat(-bytes & 7)).getBytes(StandardCharsets.UTF_8);
  }

  /// Maps a file.
  ///
  /// @param arena owner of the mapping
  /// @param file to map
  /// @return the tensors, valid while the arena is open
  /// @throws InvalidInputException if the file cannot be read or is invalid
  public static Safetensors open(Arena arena, Path file) {
    InputFile input = InputFile.of(file);
    try (FileChannel channel = input.channel()) {
      long size = input.size();
      if (size < Long.BYTES) {
        throw new InvalidInputException(
            "%s: expected a safetensors file, found %d bytes".formatted(file, size));
      }
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
      long length = bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      if (length < 2 || length > Math.min(size - Long.BYTES, MAX_HEADER)) {
        throw new InvalidInputException(
            "%s: header length: expected 2..%d, found %d"
                .formatted(file, Math.min(size - Long.BYTES, MAX_HEADER), length));
      }
      byte[] header = bytes.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
      return parse(arena, file, header, bytes.asSlice(Long.BYTES + length));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static Safetensors parse(Arena arena, Path file, byte[] header, MemorySegment data) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    Map<String, String> metadata = new LinkedHashMap<>();
    List<Range> ranges = new ArrayList<>();
    try {
      JsonNode root = JSON.readTree(header);
      if (!root.isObject()) {
        throw wrong(file, "header", "an object", root);
      }
      for (Map.Entry<String, JsonNode> entry : root.properties()) {
        if (entry.getKey().equals(METADATA)) {
          metadata(file, entry.getValue(), metadata);
        } else {
          Range range = Range.of(file, entry.getKey(), entry.getValue(), data.byteSize());
          ranges.add(range);
          tensors.put(entry.getKey(), tensor(file, range, entry.getValue(), data).aligned(arena));
        }
      }
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: header: expected JSON, found something else".formatted(file), e);
    }
    requireSideBySide(file, ranges, data.byteSize());
    return new Safetensors(tensors, metadata);
  }

  private static void metadata(Path file, JsonNode node, Map<String, String> metadata) {
    if (!node.isObject()) {
      throw wrong(file, METADATA, "an object of strings", node);
    }
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (!entry.getValue().isString()) {
        throw wrong(file, METADATA + "." + entry.getKey(), "a string", entry.getValue());
      }
      metadata.put(entry.getKey(), entry.getValue().stringValue());
    }
  }

  /// Which bytes a tensor says are its own.
  ///
  /// @param begin first byte
  /// @param end byte after the last
  private record Range(String tensor, long begin, long end) {
    static Range of(Path file, String name, JsonNode node, long bytes) {
      JsonNode offsets = node.path("data_offsets");
      long begin = offsets.size() == 2 ? integer(offsets.path(0)) : -1;
      long end = offsets.size() == 2 ? integer(offsets.path(1)) : -1;
      if (begin < 0 || end < begin || end > bytes) {
        throw new InvalidInputException(
            "%s: tensor %s: expected offsets within %d bytes, found %d..%d"
                .formatted(file, name, bytes, begin, end));
      }
      return new Range(name, begin, end);
    }
  }

  /// Tensors cover all bytes once, as the format demands.
  private static void requireSideBySide(Path file, List<Range> ranges, long bytes) {
    ranges.sort(Comparator.comparingLong(Range::begin).thenComparingLong(Range::end));
    long next = 0;
    for (Range range : ranges) {
      if (range.begin() != next) {
        throw new InvalidInputException(
            "%s: tensor %s: expected its first byte at %d, after the others, found it at %d"
                .formatted(file, range.tensor(), next, range.begin()));
      }
      next = range.end();
    }
    if (next != bytes) {
      throw new InvalidInputException(
          "%s: expected %d bytes of tensors, as the header says, found %d"
              .formatted(file, next, bytes));
    }
  }

  private static Tensor tensor(Path file, Range range, JsonNode node, MemorySegment data) {
    String name = range.tensor();
    Dtype dtype = Dtype.named(file, name, node.path("dtype"));
    JsonNode sizes = node.path("shape");
    if (!sizes.isArray() || sizes.size() > MAX_DIMENSIONS) {
      throw wrong(
          file,
          "tensor " + name,
          "a shape of at most %d dimensions".formatted(MAX_DIMENSIONS),
          sizes);
    }
    List<Long> shape = sizes.valueStream().map(Safetensors::integer).toList();
    if (shape.stream().anyMatch(size -> size < 0)) {
      throw wrong(file, "tensor " + name, "a shape of sizes of at least 0", sizes);
    }
    long held = range.end() - range.begin();
    Tensor tensor = new Tensor(dtype, shape, data.asSlice(range.begin(), held));
    long expected = bytes(file, name, tensor);
    if (expected != held) {
      throw new InvalidInputException(
          "%s: tensor %s: expected %d bytes for shape %s, found %d"
              .formatted(file, name, expected, shape, held));
    }
    return tensor;
  }

  /// A number of the header; -1 if it is none.
  private static long integer(JsonNode node) {
    return node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : -1;
  }

  private static InvalidInputException wrong(
      Path file, String place, String expected, JsonNode found) {
    String text = found.isMissingNode() ? "nothing" : found.toString();
    return new InvalidInputException(
        "%s: %s: expected %s, found %s"
            .formatted(
                file, place, expected, text.length() <= 60 ? text : text.substring(0, 60) + "..."));
  }

  private static long bytes(Path file, String name, Tensor tensor) {
    try {
      return Math.multiplyExact(tensor.count(), tensor.dtype().bytes());
    } catch (ArithmeticException e) {
      throw new InvalidInputException(
          "%s: tensor %s: expected a shape of at most 2^63 bytes, found %s"
              .formatted(file, name, tensor.shape()),
          e);
    }
  }

  /// Copies the parameters of a layout into one segment. All are checked before memory is
  /// allocated.
  ///
  /// @param arena owner of the segment
  /// @param file named in the error
  /// @param layout all parameters of the model
  /// @return `float32[layout.count()]`
  /// @throws InvalidInputException if a parameter is missing, of another type or shape, or not
  ///   finite, or if there are other tensors
  public MemorySegment parameters(Arena arena, Path file, ParameterLayout layout) {
    for (ParameterLayout.Entry entry : layout.entries()) {
      Tensor tensor = require(file, entry.name(), entry.count());
      if (!tensor.shape().equals(entry.shape())) {
        throw new InvalidInputException(
            "%s: tensor %s: expected shape %s, found %s"
                .formatted(file, entry.name(), entry.shape(), tensor.shape()));
      }
      requireFinite(file, entry.name(), tensor.data());
    }
    if (tensors.size() != layout.entries().size()) {
      throw new InvalidInputException(
          "%s: expected %d tensors, found %d"
              .formatted(file, layout.entries().size(), tensors.size()));
    }
    MemorySegment flat = arena.allocate(layout.count() * Float.BYTES, Float.BYTES);
    for (ParameterLayout.Entry entry : layout.entries()) {
      entry.of(flat).copyFrom(require(file, entry.name(), entry.count()).data());
    }
    return flat;
  }

  /// Checks that all elements are finite. Cost: one pass.
  ///
  /// @param file named in the error
  /// @param name of the tensor
  /// @param floats `float32`
  /// @throws InvalidInputException if an element is infinite or NaN
  public static void requireFinite(Path file, String name, MemorySegment floats) {
    for (long i = 0; i < floats.byteSize() / Float.BYTES; i++) {
      float value = floats.get(FLOAT, i * Float.BYTES);
      if (!Float.isFinite(value)) {
        throw new InvalidInputException(
            "%s: tensor %s: element %d: expected a finite number, found %s"
                .formatted(file, name, i, value));
      }
    }
  }

  /// {@return a required float32 tensor with a given number of elements}
  ///
  /// @param file named in the error
  /// @param name of the tensor
  /// @param count expected number of elements
  /// @throws InvalidInputException if it is missing, or of another type or size
  public Tensor require(Path file, String name, long count) {
    return require(file, name, Dtype.F32, count);
  }

  /// {@return a required tensor with a given number of elements}
  ///
  /// @param file named in the error
  /// @param name of the tensor
  /// @param dtype expected type
  /// @param count expected number of elements
  /// @throws InvalidInputException if it is missing, or of another type or size
  public Tensor require(Path file, String name, Dtype dtype, long count) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new InvalidInputException("%s: expected a tensor %s, found none".formatted(file, name));
    }
    if (tensor.dtype() != dtype) {
      throw new InvalidInputException(
          "%s: tensor %s: expected dtype %s, found %s"
              .formatted(file, name, dtype, tensor.dtype()));
    }
    if (tensor.count() != count) {
      throw new InvalidInputException(
          "%s: tensor %s: expected %d elements, found shape %s"
              .formatted(file, name, count, tensor.shape()));
    }
    return tensor;
  }
}
