package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Weight;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// `y[t] = tokens[id[t]] + positions[t]`: the sum of a row of each of two tables. Backward: each
/// row's gradient is the sum of the gradients of the outputs that read it, in the order of the
/// batch.
///
/// The input is a text of token numbers, stored as floats, which are exact below `2^24`; its
/// gradient is 0.
///
/// Parameters: `name.tokens`, `vocabulary x width`; `name.positions`, `length x width`.
///
/// @param name of the parameters, before a dot and their own name
/// @param length context length in tokens
/// @param vocabulary number of tokens
/// @param width channels of the output
/// @param deviation of the initial values
public record TokenEmbedding(String name, int length, int vocabulary, int width, double deviation)
    implements Layer {
  private static final int MOST_TOKENS = 1 << 24;

  /// Distinct tokens whose gradients one task sums.
  private static final int TASK = 64;

  private static final long ROW = 0xFFFFFFFFL;

  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if a row does not fit the scratch memory of [Workers], or
  ///   there are more tokens than floats can number
  public TokenEmbedding {
    if (vocabulary < 1 || vocabulary > MOST_TOKENS) {
      throw new IllegalArgumentException(
          "%s: expected a vocabulary of 1 to %d tokens, found %d"
              .formatted(name, MOST_TOKENS, vocabulary));
    }
    if (DenseMatrix.bytes(1, width) > Workers.SCRATCH_BYTES) {
      throw new IllegalArgumentException(
          "%s: expected a width of at most %d, found %d"
              .formatted(name, Workers.SCRATCH_BYTES / Float.BYTES, width));
    }
  }

  @Override
  public Shape input() {
    return new Shape(length, 1, 1);
  }

  @Override
  public Shape output() {
    return new Shape(length, 1, width);
  }

  /// Name of the tokens' table.
  String tokens() {
    return name + ".tokens";
  }

  /// Name of the positions' table.
  String positions() {
    return name + ".positions";
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    layout.add(tokens(), vocabulary, width, true);
    layout.add(positions(), length, width, true);
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.normal(tokens(), deviation);
    weights.normal(positions(), deviation);
  }

  /// @throws IllegalArgumentException if a token is not in the vocabulary
  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    Weight tokens = pass.state().parameter(tokens());
    Weight positions = pass.state().parameter(positions());
    Workers w = pass.kernels().workers();
    w.run(
        length,
        (position, worker) -> {
          MemorySegment place = row(w, worker);
          positions.row(position, place);
          for (long i = position; i < y.rows(); i += length) {
            MemorySegment target = y.data().asSlice(y.offset(i), y.offset(1));
            tokens.row(token(x, i), target);
            Elementwise.addTo(target, place);
          }
        });
    return y;
  }

  private MemorySegment row(Workers w, int worker) {
    return w.scratch(worker).asSlice(0, DenseMatrix.bytes(1, width));
  }

  private int token(DenseMatrix x, long row) {
    float value = x.get(row, 0);
    int token = (int) value;
    if (!(value >= 0 && value < vocabulary) || token != value) {
      throw new IllegalArgumentException(
          "%s: row %d has token %s; expected 0..%d".formatted(name, row, value, vocabulary - 1));
    }
    return token;
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    addPositions(t, pass);
    addTokens(x, t, pass);
    if (g != null) {
      g.fill(0);
    }
  }

  private void addPositions(DenseMatrix t, Pass pass) {
    Weight positions = pass.state().parameter(positions());
    Workers w = pass.kernels().workers();
    w.run(
        length,
        (position, worker) -> {
          MemorySegment sum = row(w, worker).fill((byte) 0);
          for (long i = position; i < t.rows(); i += length) {
            Elementwise.addTo(sum, t.data().asSlice(t.offset(i), t.offset(1)));
          }
          positions.addGradientRows(position, position + 1, sum);
        });
  }

  /// Sorts the rows of the batch by token, then sums the rows of each token.
  private void addTokens(DenseMatrix x, DenseMatrix t, Pass pass) {
    int rows = Math.toIntExact(x.rows());
    long[] order = new long[rows];
    for (int i = 0; i < rows; i++) {
      order[i] = (long) token(x, i) << 32 | i;
    }
    Arrays.sort(order);
    int[] starts = starts(order);
    int distinct = starts.length - 1;
    Weight tokens = pass.state().parameter(tokens());
    Workers w = pass.kernels().workers();
    w.run(
        Math.ceilDiv(distinct, TASK),
        (task, worker) -> {
          for (int k = task * TASK; k < Math.min(distinct, (task + 1) * TASK); k++) {
            MemorySegment sum = row(w, worker).fill((byte) 0);
            for (int i = starts[k]; i < starts[k + 1]; i++) {
              Elementwise.addTo(sum, t.data().asSlice(t.offset(order[i] & ROW), t.offset(1)));
            }
            int token = (int) (order[starts[k]] >>> 32);
            tokens.addGradientRows(token, token + 1, sum);
          }
        });
  }

  /// Where each distinct token begins, and the end.
  private static int[] starts(long[] order) {
    int[] starts = new int[order.length + 1];
    int distinct = 0;
    for (int i = 0; i < order.length; i++) {
      if (i == 0 || order[i] >>> 32 != order[i - 1] >>> 32) {
        starts[distinct++] = i;
      }
    }
    starts[distinct] = order.length;
    return Arrays.copyOf(starts, distinct + 1);
  }
}
