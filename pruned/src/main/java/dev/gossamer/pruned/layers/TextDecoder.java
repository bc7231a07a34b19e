package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.CausalHeads;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.LayerNormalisation;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.StoredProducts;
import dev.gossamer.matrix.dense.VectorProducts;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.SparseColumns;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Runs the forward pass of a language model token by token. Keys and values of previous tokens are
/// cached (a key-value cache), so that a token costs two operations for each weight and four for
/// each channel, layer and previous token. Logits agree with a forward pass over all positions up
/// to rounding.
///
/// Positions have their own weights, so cached keys and values become invalid when the window
/// moves. A full window therefore moves by half of its length, and the remaining tokens are
/// processed again in one pass, which adds one token per new token, at the speed of products with
/// many rows. The context is the newest `T/2` to `T` tokens.
///
/// Weights are read in place, in float32. The surviving weights of sparse matrices are copied, and
/// products with few rows read only these.
///
/// Memory: `3 d` elements for each position and layer, the activations of one block for a window,
/// and 6 bytes for each survivor of a pruned matrix. Not thread-safe.
public final class TextDecoder implements AutoCloseable {
  /// Share of survivors up to which products with few rows go over them alone: measured, a survivor
  /// takes the time of two and a half elements of a dense matrix that comes from main memory.
  private static final double DENSEST = 0.4;

  /// Rows up to which they do: beyond, a dense product shares what it reads among rows.
  private static final int FEW_ROWS = 8;

  /// `Y = X W`, with rows as many as wanted.
  @FunctionalInterface
  private interface Product {
    void multiply(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue);
  }

  private final Arena arena = Arena.ofShared();
  private final List<Layer> blocks;
  private final ParameterLayout layout;
  private final Function<String, MemorySegment> values;
  private final Workers workers;
  private final Map<String, Product> products = new HashMap<>();

  /// Queries, keys and values of each attention: a row for each position.
  private final Map<String, DenseMatrix> cache = new HashMap<>();

  private final DenseMatrix memory;

  /// Elements of [#memory] that are in use.
  private long used;

  private final int[] window;
  private int count;

  /// Allocates the memory of a text.
  ///
  /// @param network a language model, see [Gpt]
  /// @param values of each parameter by its name, `float32`; borrowed
  /// @param mask of the surviving weights
  /// @param workers borrowed
  /// @throws IllegalArgumentException if the network is not a language model
  public TextDecoder(
      LayerNetwork network, Function<String, MemorySegment> values, Mask mask, Workers workers) {
    blocks = network.blocks();
    layout = network.layout();
    this.values = values;
    this.workers = workers;
    window = new int[network.input().positions()];
    try {
      long live = 0;
      long most = 0;
      for (int b = 0; b < blocks.size(); b++) {
        int rows = b == blocks.size() - 1 ? 1 : window.length;
        most = Math.max(most, live + room(blocks.get(b), rows));
        live += left(blocks.get(b), rows);
      }
      memory = DenseMatrix.allocate(arena, most, 1);
      blocks.forEach(block -> prepare(block, mask));
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private void prepare(Layer layer, Mask mask) {
    switch (layer) {
      case Sequence sequence -> sequence.layers().forEach(each -> prepare(each, mask));
      case Residual residual -> prepare(residual.body(), mask);
      case Linear linear -> products.put(linear.weight(), product(linear.weight(), mask));
      case TiedHead head -> products.put(head.tokens(), transposedProduct(head.tokens(), mask));
      case CausalAttention attention -> {
        products.put(attention.inWeight(), product(attention.inWeight(), mask));
        products.put(attention.outWeight(), product(attention.outWeight(), mask));
        int columns = attention.inner().channels();
        cache.put(attention.name(), DenseMatrix.allocate(arena, window.length, columns));
      }
      case TokenEmbedding _, LayerNorm _, Gelu _, DropoutLayer _ -> {}
      case Relu _, Convolution _, BatchNorm _, MaxPool _, AveragePool _, Flatten _ ->
          throw unreadable(layer);
    }
  }

  private static IllegalArgumentException unreadable(Layer layer) {
    return new IllegalArgumentException("text: expected layers of texts, found " + layer);
  }

  private DenseMatrix matrix(String name) {
    ParameterLayout.Entry entry = layout.entry(name);
    return DenseMatrix.wrap(values.apply(name), entry.rows(), entry.cols());
  }

  private Product product(String name, Mask mask) {
    DenseMatrix dense = matrix(name);
    StoredMatrix stored = StoredMatrix.of(dense);
    Product many = (x, y, epilogue) -> StoredProducts.multiply(x, stored, y, workers, epilogue);
    Product one = (x, y, epilogue) -> VectorProducts.multiply(x, dense, y, workers, epilogue);
    if (isSparse(name, mask, dense.rows())) {
      return few(SparseColumns.of(arena, dense, mask.survivors(name)), many);
    }
    return byRows(1, one, many);
  }

  private Product transposedProduct(String name, Mask mask) {
    DenseMatrix dense = matrix(name);
    StoredMatrix stored = StoredMatrix.of(dense);
    Product many =
        (x, y, epilogue) -> StoredProducts.multiplyTransposed(x, stored, y, workers, epilogue);
    Product one =
        (x, y, epilogue) -> VectorProducts.multiplyTransposed(x, dense, y, workers, epilogue);
    if (isSparse(name, mask, dense.cols())) {
      return few(SparseColumns.ofTransposed(arena, dense, mask.survivors(name)), many);
    }
    return byRows(1, one, many);
  }

  /// @param rows of the matrix that products see
  private boolean isSparse(String name, Mask mask, long rows) {
    if (!mask.prunes(name) || rows > SparseColumns.MOST_ROWS) {
      return false;
    }
    BitSet kept = mask.survivors(name);
    return kept.cardinality() <= DENSEST * layout.entry(name).count();
  }

  private Product few(SparseColumns sparse, Product many) {
    return byRows(FEW_ROWS, (x, y, epilogue) -> sparse.multiply(x, y, workers, epilogue), many);
  }

  private static Product byRows(int most, Product few, Product many) {
    return (x, y, epilogue) -> (x.rows() <= most ? few : many).multiply(x, y, epilogue);
  }

  /// Processes more tokens of the text.
  ///
  /// @param tokens to append, at least one
  /// @return `1 x vocabulary`: the logits of the next token; borrowed until the next call
  /// @throws IllegalArgumentException if there is none, or one is not in the vocabulary
  public DenseMatrix append(int... tokens) {
    if (tokens.length == 0) {
      throw new IllegalArgumentException("text: expected at least one token");
    }
    if (count == 0) {
      return begin(tokens, Math.min(tokens.length, window.length));
    }
    int last = tokens.length - 1;
    for (int i = 0; i < last; i++) {
      next(tokens[i]);
    }
    return next(tokens[last]);
  }

  private DenseMatrix next(int token) {
    if (count == window.length) {
      int[] text = Arrays.copyOf(window, count + 1);
      text[count] = token;
      return begin(text, Math.ceilDiv(count, 2));
    }
    window[count++] = token;
    return read(count - 1);
  }

  /// Starts again with the last tokens.
  private DenseMatrix begin(int[] tokens, int last) {
    System.arraycopy(tokens, tokens.length - last, window, 0, last);
    count = last;
    return read(0);
  }

  /// {@return a copy of the tokens in the context of the last logits}
  public int[] window() {
    return Arrays.copyOf(window, count);
  }

  /// Reads the tokens of the window from a position on.
  private DenseMatrix read(int first) {
    used = 0;
    DenseMatrix x = memory;
    int head = blocks.size() - 1;
    for (int b = 0; b < head; b++) {
      x = apply(blocks.get(b), x, first);
    }
    // The logits of known tokens are not needed.
    return apply(blocks.get(head), x.rows(x.rows() - 1, x.rows()), first);
  }

  private DenseMatrix take(long rows, int cols) {
    long elements = Pieces.elements(rows, cols);
    DenseMatrix piece = memory.rows(used, used + rows * cols).reshaped(rows, cols);
    used += elements;
    return piece;
  }

  private DenseMatrix apply(Layer layer, DenseMatrix x, int first) {
    return switch (layer) {
      case Sequence sequence -> {
        DenseMatrix y = x;
        for (Layer each : sequence.layers()) {
          y = apply(each, y, first);
        }
        yield y;
      }
      case Residual residual -> {
        // What the body made is not needed once it has been added.
        long before = used;
        Elementwise.add(apply(residual.body(), x, first), x, x, workers);
        used = before;
        yield x;
      }
      case TokenEmbedding embedding -> embedded(embedding, first);
      case LayerNorm norm -> {
        DenseMatrix y = take(x.rows(), x.cols());
        MemorySegment gain = values.apply(norm.gain());
        MemorySegment bias = values.apply(norm.bias());
        DenseMatrix moments = take(x.rows(), 2);
        LayerNormalisation.forward(x, gain, bias, norm.epsilon(), y, moments, workers);
        yield y;
      }
      case CausalAttention attention -> attended(attention, x, first);
      case Linear linear -> {
        RowEpilogue epilogue =
            linear.biased() ? Epilogues.bias(values.apply(linear.bias())) : RowEpilogue.NONE;
        yield multiplied(x, linear.weight(), linear.outChannels(), epilogue);
      }
      case TiedHead head -> multiplied(x, head.tokens(), head.vocabulary(), RowEpilogue.NONE);
      case Gelu _ -> {
        DenseMatrix y = take(x.rows(), x.cols());
        Elementwise.gelu(x, y, workers);
        yield y;
      }
      case DropoutLayer _ -> x;
      case Relu _, Convolution _, BatchNorm _, MaxPool _, AveragePool _, Flatten _ ->
          throw unreadable(layer);
    };
  }

  /// Elements that [#apply] has in use at most, besides those before it.
  private static long room(Layer layer, long rows) {
    return switch (layer) {
      case Sequence sequence -> {
        long live = 0;
        long most = 0;
        for (Layer each : sequence.layers()) {
          most = Math.max(most, live + room(each, rows));
          live += left(each, rows);
        }
        yield most;
      }
      case Residual residual -> room(residual.body(), rows);
      default -> left(layer, rows);
    };
  }

  /// Elements that [#apply] leaves in use.
  private static long left(Layer layer, long rows) {
    int channels = layer.output().channels();
    return switch (layer) {
      case Sequence sequence ->
          sequence.layers().stream().mapToLong(each -> left(each, rows)).sum();
      case Residual _, DropoutLayer _ -> 0;
      case LayerNorm _ -> Pieces.elements(rows, channels) + Pieces.elements(rows, 2);
      case CausalAttention attention ->
          Pieces.elements(rows, channels)
              + Pieces.elements(rows, attention.outer().channels())
              + Pieces.elements(rows, 2 * attention.heads());
      default -> Pieces.elements(rows, channels);
    };
  }

  private DenseMatrix multiplied(DenseMatrix x, String name, int cols, RowEpilogue epilogue) {
    DenseMatrix y = take(x.rows(), cols);
    product(name).multiply(x, y, epilogue);
    return y;
  }

  private Product product(String name) {
    Product product = products.get(name);
    if (product == null) {
      throw new IllegalArgumentException("text: no matrix is named " + name);
    }
    return product;
  }

  private DenseMatrix embedded(TokenEmbedding embedding, int first) {
    DenseMatrix tokens = matrix(embedding.tokens());
    DenseMatrix positions = matrix(embedding.positions());
    DenseMatrix y = take(count - first, embedding.width());
    for (int i = first; i < count; i++) {
      int token = window[i];
      if (token < 0 || token >= embedding.vocabulary()) {
        throw new IllegalArgumentException(
            "text: token %d: expected 0..%d, found %d"
                .formatted(i, embedding.vocabulary() - 1, token));
      }
      MemorySegment to = y.rows(i - first, i - first + 1).data();
      to.copyFrom(tokens.rows(token, token + 1).data());
      Elementwise.addTo(to, positions.rows(i, i + 1).data());
    }
    return y;
  }

  private DenseMatrix attended(CausalAttention attention, DenseMatrix x, int first) {
    String name = attention.name();
    DenseMatrix qkv = cache.get(name);
    if (qkv == null) {
      throw new IllegalArgumentException("text: no attention is named " + name);
    }
    int heads = attention.heads();
    int width = attention.headWidth();
    RowEpilogue biasIn = Epilogues.bias(values.apply(attention.inBias()));
    RowEpilogue biasOut = Epilogues.bias(values.apply(attention.outBias()));
    product(attention.inWeight()).multiply(x, qkv.rows(first, count), biasIn);
    DenseMatrix o = take(x.rows(), attention.outer().channels());
    if (x.rows() == 1) {
      new CausalHeads(window.length, heads, width).row(qkv, first, o, workers);
    } else {
      DenseMatrix sums = take(x.rows(), 2 * heads);
      new CausalHeads(count, heads, width).forward(qkv.rows(0, count), o, sums, workers);
    }
    DenseMatrix y = take(x.rows(), x.cols());
    product(attention.outWeight()).multiply(o, y, biasOut);
    return y;
  }

  @Override
  public void close() {
    arena.close();
  }
}
