package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.attention.CausalHeads;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Pieces;
import dev.gossamer.nn.Weight;
import org.jspecify.annotations.Nullable;

/// Causal multi-head attention over the positions of a text: `[Q | K | V] = X W_in + b_in`; each
/// head `O = softmax(Q K^T / sqrt(D), keys up to the query alone) V`; `Y = O W_out + b_out`.
/// [CausalHeads] has the heads and their gradients.
///
/// With `d` channels and `T` positions a sample keeps `T (5 d + 2 heads)` elements: `Y`, the
/// queries, keys and values, `O`, and two numbers for each row of a head's softmax; the `T x T`
/// probabilities are computed again.
///
/// Parameters: `name.in.weight`, `d x 3 d`; `name.in.bias`; `name.out.weight`, `d x d`;
/// `name.out.bias`.
///
/// @param name of the parameters, before a point and their own name
/// @param input `T x 1 x d`
/// @param heads that share the channels
/// @param deviation of the first weights of queries, keys and values
/// @param outDeviation of those of the output
public record CausalAttention(
    String name, Shape input, int heads, double deviation, double outDeviation) implements Layer {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the heads do not divide the channels, or the text does not
  ///   fit [CausalHeads]
  public CausalAttention {
    if (heads < 1 || input.channels() % heads != 0) {
      throw new IllegalArgumentException(
          "%s: expected a number of heads that divides %d channels, found %d"
              .formatted(name, input.channels(), heads));
    }
    new CausalHeads(input.positions(), heads, input.channels() / heads);
  }

  /// What is kept of the forward pass.
  ///
  /// @param y `n x d`
  /// @param qkv `n x 3 d`
  /// @param o `n x d`
  /// @param sums `n x 2 heads`
  private record Kept(DenseMatrix y, DenseMatrix qkv, DenseMatrix o, DenseMatrix sums) {}

  private Kept kept(DenseMatrix memory, int samples) {
    Pieces pieces = new Pieces(memory);
    return new Kept(
        Batches.next(pieces, input, samples),
        Batches.next(pieces, inner(), samples),
        Batches.next(pieces, input, samples),
        Batches.next(pieces, input.withChannels(2 * heads), samples));
  }

  /// Name of the matrix of queries, keys and values.
  String inWeight() {
    return name + ".in.weight";
  }

  /// Name of their bias.
  String inBias() {
    return name + ".in.bias";
  }

  /// Name of the matrix of the output.
  String outWeight() {
    return name + ".out.weight";
  }

  /// Name of its bias.
  String outBias() {
    return name + ".out.bias";
  }

  private Shape inner() {
    return input.withChannels(3 * input.channels());
  }

  private CausalHeads attention() {
    return new CausalHeads(input.positions(), heads, input.channels() / heads);
  }

  @Override
  public Shape output() {
    return input;
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    int d = input.channels();
    layout.add(inWeight(), d, 3 * d, true);
    layout.add(inBias(), 1, 3 * d, false);
    layout.add(outWeight(), d, d, true);
    layout.add(outBias(), 1, d, false);
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.normal(inWeight(), deviation);
    weights.normal(outWeight(), outDeviation);
  }

  @Override
  public long keptElements(int samples) {
    return 2 * Batches.elements(input, samples)
        + Batches.elements(inner(), samples)
        + Batches.elements(input.withChannels(2 * heads), samples);
  }

  @Override
  public long workElements(int samples) {
    return Batches.elements(input, samples)
        + Batches.elements(inner(), samples)
        + Pieces.elements(1, inner().channels())
        + Pieces.elements(attention().workElements(samples), 1);
  }

  /// The products with weights, and of the scores and sums the part on and below the diagonal.
  @Override
  public double operations() {
    double d = input.channels();
    double length = input.positions();
    return 8 * length * d * d + 2 * length * (length + 1) * d;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    Kept made = kept(kept, pass.samples());
    Workers w = pass.kernels().workers();
    ModelState state = pass.state();
    RowEpilogue biasIn = Epilogues.bias(state.vector(inBias()));
    RowEpilogue biasOut = Epilogues.bias(state.vector(outBias()));
    state.parameter(inWeight()).multiply(x, made.qkv, w, biasIn);
    attention().forward(made.qkv, made.o, made.sums, w);
    state.parameter(outWeight()).multiply(made.o, made.y, w, biasOut);
    return made.y;
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    Kept made = kept(kept, pass.samples());
    Pieces pieces = new Pieces(work);
    DenseMatrix above = Batches.next(pieces, input, pass.samples());
    DenseMatrix inside = Batches.next(pieces, inner(), pass.samples());
    DenseMatrix sums = pieces.next(1, inner().channels());
    DenseMatrix packed = pieces.next(attention().workElements(pass.samples()), 1);
    Workers w = pass.kernels().workers();
    Weight out = pass.state().parameter(outWeight());
    out.addGradient(made.o, t, w);
    Batches.addColumnSums(t, outBias(), sums.reshaped(1, input.channels()), pass);
    out.multiplyTransposed(t, above, w, RowEpilogue.NONE);
    attention().backward(made.qkv, made.o, made.sums, above, inside, packed, w);
    Weight in = pass.state().parameter(inWeight());
    in.addGradient(x, inside, w);
    Batches.addColumnSums(inside, inBias(), sums, pass);
    if (g != null) {
      in.multiplyTransposed(inside, g, w, RowEpilogue.NONE);
    }
  }
}
