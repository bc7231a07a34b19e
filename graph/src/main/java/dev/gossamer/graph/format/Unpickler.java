package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A Python pickle machine, protocol 2, that can build numpy arrays, scipy CSR matrices,
/// dictionaries, lists, tuples, strings, integers, booleans and None, and nothing else: no other
/// class is ever instantiated or called. Other classes and opcodes are refused with name and
/// offset.
///
/// Results: [Array], [Csr], [Map], [List], [Tuple], [String] (bytes as Latin-1), [Long], [Boolean],
/// [None].
final class Unpickler {
  /// Python's None.
  enum None {
    NONE
  }

  /// Python's tuple.
  record Tuple(List<Object> items) {}

  /// A numpy array of little-endian int32 (`i4`), int64 (`i8`), float32 (`f4`) or float64 (`f8`),
  /// row-major, whatever its order in the file.
  ///
  /// @param data the elements, little-endian
  record Array(String type, List<Integer> shape, ByteBuffer data) {
    int size() {
      return data.capacity() / (type.charAt(1) - '0');
    }

    long integer(int i) {
      return switch (type) {
        case "i4" -> data.getInt(i * 4);
        case "i8" -> data.getLong(i * 8);
        default -> throw new IllegalStateException("not an integer type: " + type);
      };
    }

    float real(int i) {
      return switch (type) {
        case "f4" -> data.getFloat(i * 4);
        case "f8" -> (float) data.getDouble(i * 8);
        default -> integer(i);
      };
    }

    boolean isInteger() {
      return type.charAt(0) == 'i';
    }
  }

  /// A scipy matrix in compressed sparse rows, not yet checked.
  record Csr(Map<Object, Object> state) {}

  /// The classes and functions that may be named.
  private enum Global {
    RECONSTRUCT("numpy.core.multiarray _reconstruct"),
    NDARRAY("numpy ndarray"),
    DTYPE("numpy dtype"),
    CSR("scipy.sparse.csr csr_matrix"),
    DEFAULTDICT("collections defaultdict"),
    LIST("__builtin__ list");

    private final String name;

    Global(String name) {
      this.name = name;
    }
  }

  private static final class ArrayDraft {
    private String type = "";
    private List<Integer> shape = List.of();
    private boolean fortranOrder;
    private String bytes = "";

    Array array() {
      byte[] stored = bytes.getBytes(StandardCharsets.ISO_8859_1);
      ByteBuffer data = ByteBuffer.wrap(fortranOrder ? rowsFirst(stored) : stored);
      return new Array(type, shape, data.order(ByteOrder.LITTLE_ENDIAN));
    }

    private byte[] rowsFirst(byte[] stored) {
      byte[] data = new byte[stored.length];
      List<Long> sizes = shape.stream().map(Integer::longValue).toList();
      RowMajor.copy(
          MemorySegment.ofArray(stored), MemorySegment.ofArray(data), sizes, type.charAt(1) - '0');
      return data;
    }
  }

  private record Dtype(String type) {}

  private enum Mark {
    MARK
  }

  private static final Map<Integer, String> OTHER_OPCODES =
      Map.ofEntries(
          Map.entry((int) 'i', "INST"),
          Map.entry((int) 'o', "OBJ"),
          Map.entry((int) 'P', "PERSID"),
          Map.entry((int) 'Q', "BINPERSID"),
          Map.entry(0x82, "EXT1"),
          Map.entry(0x83, "EXT2"),
          Map.entry(0x84, "EXT4"),
          Map.entry(0x92, "NEWOBJ_EX"),
          Map.entry(0x93, "STACK_GLOBAL"),
          Map.entry(0x94, "MEMOIZE"),
          Map.entry(0x95, "FRAME"),
          Map.entry((int) 'X', "BINUNICODE"),
          Map.entry((int) 'I', "INT"),
          Map.entry((int) 'p', "PUT"));

  /// An entry of a collection, what it holds, and the map's node or the string behind it.
  private static final long PER_VALUE = 24;

  private static final long PER_COLLECTION = 64;

  /// What objects may take beyond the file: its arrays, and the ids of its lists.
  private static final long SLACK = 512L << 20;

  private final String where;
  private final ByteBuffer in;
  private final HeapBudget heap;
  private final List<Object> stack = new ArrayList<>();
  private final Map<Integer, Object> memo = new HashMap<>();
  private int opcodeAt;

  private Unpickler(String where, byte[] pickle) {
    this.where = where;
    in = ByteBuffer.wrap(pickle).order(ByteOrder.LITTLE_ENDIAN);
    heap = HeapBudget.of("the objects of a pickle").atMost(SLACK + 4L * pickle.length);
  }

  /// The object of a pickle.
  ///
  /// @param where what messages call the file
  /// @throws InvalidInputException naming the offset of what is truncated, unknown or refused
  static Object load(String where, byte[] pickle) {
    return new Unpickler(where, pickle).run();
  }

  private Object run() {
    while (true) {
      opcodeAt = in.position();
      need(1);
      int opcode = in.get() & 0xff;
      if (opcode == '.') {
        return finished(pop());
      }
      if (!literal(opcode) && !collection(opcode)) {
        String name = OTHER_OPCODES.get(opcode);
        throw wrong(
            "an opcode of a protocol 2 pickle of arrays",
            "0x%02x%s".formatted(opcode, name == null ? "" : " " + name));
      }
    }
  }

  /// Opcodes that push a value or move it between the stack and the memo.
  private boolean literal(int opcode) {
    switch (opcode) {
      case 0x80 -> {
        int protocol = unsigned(1);
        if (protocol > 2) {
          throw wrong("pickle protocol 2", Integer.toString(protocol));
        }
      }
      case 'c' -> push(global(line() + " " + line()));
      case 'q' -> remember(unsigned(1));
      case 'r' -> remember(unsigned(4));
      case 'h' -> push(remembered(unsigned(1)));
      case 'j' -> push(remembered(unsigned(4)));
      case 'U' -> push(string(unsigned(1)));
      case 'T' -> push(string(unsigned(4)));
      case 'K' -> push((long) unsigned(1));
      case 'M' -> push((long) unsigned(2));
      case 'J' -> {
        need(4);
        push((long) in.getInt());
      }
      case 'N' -> push(None.NONE);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      default -> {
        return false;
      }
    }
    return true;
  }

  /// Opcodes that build collections and objects.
  private boolean collection(int opcode) {
    switch (opcode) {
      case '(' -> push(Mark.MARK);
      case ')' -> push(new Tuple(List.of()));
      case '}' -> push(new LinkedHashMap<>());
      case ']' -> push(new ArrayList<>());
      case 't' -> push(new Tuple(List.copyOf(sinceMark())));
      case 0x85, 0x86, 0x87 -> push(new Tuple(popped(opcode - 0x84)));
      case 'a' -> {
        Object item = pop();
        list(top()).add(item);
      }
      case 'e' -> {
        List<Object> items = sinceMark();
        list(top()).addAll(items);
      }
      case 's' -> setItems(popped(2));
      case 'u' -> setItems(sinceMark());
      case 'R' -> {
        Tuple arguments = tuple(pop());
        push(called(pop(), arguments));
      }
      case 0x81 -> {
        tuple(pop());
        push(made(pop()));
      }
      case 'b' -> {
        Object state = pop();
        build(top(), state);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void setItems(List<Object> items) {
    if (!(top() instanceof Map<?, ?>) || items.size() % 2 != 0) {
      throw wrong("a dictionary and pairs to put into it", described(top()));
    }
    @SuppressWarnings("unchecked")
    Map<Object, Object> map = (Map<Object, Object>) top();
    heap.take(items.size() / 2 * PER_COLLECTION);
    for (int i = 0; i < items.size(); i += 2) {
      Object key = items.get(i);
      if (!(key instanceof Long) && !(key instanceof String)) {
        throw wrong("an integer or a string as key", described(key));
      }
      map.put(key, items.get(i + 1));
    }
  }

  private Global global(String name) {
    for (Global global : Global.values()) {
      if (global.name.equals(name)) {
        return global;
      }
    }
    throw wrong("a class of numpy arrays or sparse matrices", "class " + name + ", refused");
  }

  private Object called(Object function, Tuple arguments) {
    List<Object> given = arguments.items();
    if (function == Global.RECONSTRUCT && !given.isEmpty() && given.getFirst() == Global.NDARRAY) {
      return new ArrayDraft();
    }
    if (function == Global.DTYPE && !given.isEmpty() && given.getFirst() instanceof String type) {
      if (!List.of("i4", "i8", "f4", "f8").contains(type)) {
        throw wrong("an array of i4, i8, f4 or f8", type);
      }
      return new Dtype(type);
    }
    if (function == Global.DEFAULTDICT && given.equals(List.of(Global.LIST))) {
      return new LinkedHashMap<>();
    }
    throw wrong("a call that makes an array, a dtype or a dictionary", described(function));
  }

  private Object made(Object type) {
    if (type != Global.CSR) {
      throw wrong("class scipy.sparse.csr csr_matrix", described(type));
    }
    return new Csr(new LinkedHashMap<>());
  }

  private void build(Object target, Object state) {
    switch (target) {
      case Csr csr when state instanceof Map<?, ?> map -> csr.state().putAll(map);
      case Dtype dtype when state instanceof Tuple tuple && tuple.items().size() > 1 -> {
        Object order = tuple.items().get(1);
        if (!order.equals("<")) {
          throw wrong("little-endian elements '<'", described(order));
        }
      }
      case ArrayDraft array when state instanceof Tuple tuple && tuple.items().size() == 5 ->
          fill(array, tuple.items());
      default -> throw wrong("the state of an array or a matrix", described(target));
    }
  }

  /// State of an array: version, shape, dtype, Fortran order, bytes.
  private void fill(ArrayDraft array, List<Object> state) {
    if (!(state.get(2) instanceof Dtype dtype) || !(state.get(4) instanceof String bytes)) {
      throw wrong("the dtype and bytes of an array", described(state.get(2)));
    }
    if (!(state.get(3) instanceof Boolean fortranOrder)) {
      throw wrong("the order of an array, true or false", described(state.get(3)));
    }
    long elements = 1;
    List<Integer> shape = new ArrayList<>();
    for (Object size : tuple(state.get(1)).items()) {
      if (!(size instanceof Long length) || length < 0 || length > Integer.MAX_VALUE) {
        throw wrong("a size in 0..2^31-1", described(size));
      }
      shape.add(length.intValue());
      elements = Math.min(elements * length, 1L << 32);
    }
    long expected = elements * (dtype.type().charAt(1) - '0');
    if (bytes.length() != expected) {
      throw wrong("%d bytes for shape %s".formatted(expected, shape), bytes.length() + "");
    }
    array.type = dtype.type();
    array.shape = shape;
    array.fortranOrder = fortranOrder;
    array.bytes = bytes;
  }

  /// Turns the arrays of a result into their final form.
  private Object finished(Object result) {
    return switch (result) {
      case ArrayDraft array -> array.array();
      case Csr csr -> {
        csr.state().replaceAll((key, value) -> value instanceof ArrayDraft a ? a.array() : value);
        yield csr;
      }
      default -> result;
    };
  }

  private void remember(int key) {
    heap.take(PER_COLLECTION);
    memo.put(key, top());
  }

  private void push(Object value) {
    heap.take(
        switch (value) {
          case Map<?, ?> _, List<?> _, Tuple _, Csr _, ArrayDraft _ -> PER_COLLECTION;
          case String text -> PER_COLLECTION + text.length();
          default -> PER_VALUE;
        });
    stack.add(value);
  }

  private Object top() {
    if (stack.isEmpty() || stack.getLast() == Mark.MARK) {
      throw wrong("a value on the stack", "none");
    }
    return stack.getLast();
  }

  private Object pop() {
    Object value = top();
    stack.removeLast();
    return value;
  }

  private List<Object> popped(int count) {
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.addFirst(pop());
    }
    return items;
  }

  private List<Object> sinceMark() {
    int mark = stack.lastIndexOf(Mark.MARK);
    if (mark < 0) {
      throw wrong("a mark on the stack", "none");
    }
    List<Object> above = stack.subList(mark + 1, stack.size());
    List<Object> items = new ArrayList<>(above);
    stack.subList(mark, stack.size()).clear();
    return items;
  }

  private Object remembered(int key) {
    return Objects.requireNonNullElseGet(
        memo.get(key),
        () -> {
          throw wrong("a remembered value", "unknown number " + key);
        });
  }

  @SuppressWarnings("unchecked")
  private List<Object> list(Object value) {
    if (value instanceof ArrayList<?> list) {
      return (List<Object>) list;
    }
    throw wrong("a list", described(value));
  }

  private Tuple tuple(Object value) {
    if (value instanceof Tuple tuple) {
      return tuple;
    }
    throw wrong("a tuple", described(value));
  }

  private int unsigned(int bytes) {
    need(bytes);
    return switch (bytes) {
      case 1 -> in.get() & 0xff;
      case 2 -> in.getShort() & 0xffff;
      default -> in.getInt();
    };
  }

  private String string(int length) {
    need(length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private String line() {
    StringBuilder text = new StringBuilder();
    while (true) {
      need(1);
      char c = (char) (in.get() & 0xff);
      if (c == '\n') {
        return text.toString();
      }
      text.append(c);
    }
  }

  private void need(int bytes) {
    if (bytes < 0 || in.remaining() < bytes) {
      throw wrong(
          "%d more bytes".formatted(Integer.toUnsignedLong(bytes)),
          "%d; the file is truncated".formatted(in.remaining()));
    }
  }

  /// A value as messages show it: never more than a few words, whatever it holds.
  static String described(@Nullable Object value) {
    return switch (value) {
      case null -> "nothing";
      case Global global -> global.name;
      case String text -> "'" + (text.length() <= 40 ? text : text.substring(0, 40) + "...") + "'";
      case Long number -> number.toString();
      default -> value.getClass().getSimpleName();
    };
  }

  private InvalidInputException wrong(String expected, String found) {
    return new InvalidInputException(
        "%s: offset %d: expected %s, found %s".formatted(where, opcodeAt, expected, found));
  }
}
