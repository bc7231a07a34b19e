package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.CausalHeads;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Weight;
import org.jspecify.annotations.Nullable;

/// Causal multi-head attention over the positions of a text: `[Q | K | V] = X W_in + b_in`; each
/// head `O = softmax(Q K^T / sqrt(D), keys up to the query) V`; `Y = O W_out + b_out`. see
/// [CausalHeads] for the heads and their gradients.
///
/// With `d` channels, `T` positions and `e = heads D` a sample keeps `T (d + 4 e + 2 heads)`
/// elements: `Y`, the queries, keys and values, `O`, and two numbers for each row of a head's
/// softmax; the `T x T` probabilities are recomputed.
///
/// Parameters: `name.in.weight`, `d x 3 e`; `name.in.bias`; `name.out.weight`, `e x d`;
/// `name.out.bias`.
///
/// @param name of the parameters, before a dot and their own name
/// @param input `T x 1 x d`
/// @param heads number of heads
/// @param headWidth `D`, columns of a head's queries, keys and values; `heads D` is less than `d`
///   if heads have been removed
/// @param deviation of the initial weights of queries, keys and values
/// @param outDeviation of the initial weights of the output
public record CausalAttention(
    String name, Shape input, int heads, int headWidth, double deviation, double outDeviation)
    implements Layer {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the text does not fit [CausalHeads]
  public CausalAttention {
    new CausalHeads(input.positions(), heads, headWidth);
  }

  /// Creates heads that share the channels.
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input `T x 1 x d`
  /// @param heads that share the channels
  /// @param deviation of the initial weights of queries, keys and values
  /// @param outDeviation of the initial weights of the output
  /// @throws IllegalArgumentException if the heads do not divide the channels, or the text does not
  ///   fit [CausalHeads]
  public CausalAttention(
      String name, Shape input, int heads, double deviation, double outDeviation) {
    this(name, input, heads, share(name, input, heads), deviation, outDeviation);
  }

  private static int share(String name, Shape input, int heads) {
    if (heads < 1 || input.channels() % heads != 0) {
      throw new IllegalArgumentException(
          "%s: expected a number of heads that divides %d channels, found %d"
              .formatted(name, input.channels(), heads));
    }
    return input.channels() / heads;
  }

  /// The same with another number of heads, each as wide as before.
  CausalAttention withHeads(int newHeads) {
    return new CausalAttention(name, input, newHeads, headWidth, deviation, outDeviation);
  }

  /// What is kept of the forward pass.
  ///
  /// @param y `n x d`
  /// @param qkv `n x 3 e`
  /// @param o `n x e`
  /// @param sums `n x 2 heads`
  private record Kept(DenseMatrix y, DenseMatrix qkv, DenseMatrix o, DenseMatrix sums) {}

  private Kept kept(DenseMatrix memory, int samples) {
    Pieces pieces = new Pieces(memory);
    return new Kept(
        Batches.next(pieces, input, samples),
        Batches.next(pieces, inner(), samples),
        Batches.next(pieces, outer(), samples),
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

  /// Returns the input shape of the heads.
  Shape inner() {
    return input.withChannels(3 * heads * headWidth);
  }

  /// Returns the output shape of the heads.
  Shape outer() {
    return input.withChannels(heads * headWidth);
  }

  private CausalHeads attention() {
    return new CausalHeads(input.positions(), heads, headWidth);
  }

  @Override
  public Shape output() {
    return input;
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    int d = input.channels();
    layout.add(inWeight(), d, inner().channels(), true);
    layout.add(inBias(), 1, inner().channels(), false);
    layout.add(outWeight(), outer().channels(), d, true);
    layout.add(outBias(), 1, d, false);
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.normal(inWeight(), deviation);
    weights.normal(outWeight(), outDeviation);
  }

  @Override
  public long keptElements(int samples) {
    return Batches.elements(input, samples)
        + Batches.elements(inner(), samples)
        + Batches.elements(outer(), samples)
        + Batches.elements(input.withChannels(2 * heads), samples);
  }

  @Override
  public long workElements(int samples) {
    return Batches.elements(outer(), samples)
        + Batches.elements(inner(), samples)
        + Pieces.elements(1, columnSums())
        + Pieces.elements(attention().workElements(samples), 1);
  }

  /// Columns of the widest gradient of a bias.
  private int columnSums() {
    return Math.max(input.channels(), inner().channels());
  }

  private static DenseMatrix columns(DenseMatrix sums, Shape shape) {
    return sums.reshaped(1, shape.channels());
  }

  /// Counts products with weights, and scores and sums on and below the diagonal.
  @Override
  public double operations() {
    double d = input.channels();
    double e = outer().channels();
    double length = input.positions();
    return 8 * length * d * e + 2 * length * (length + 1) * e;
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
    DenseMatrix above = Batches.next(pieces, outer(), pass.samples());
    DenseMatrix inside = Batches.next(pieces, inner(), pass.samples());
    DenseMatrix sums = pieces.next(1, columnSums());
    DenseMatrix packed = pieces.next(attention().workElements(pass.samples()), 1);
    Workers w = pass.kernels().workers();
    Weight out = pass.state().parameter(outWeight());
    out.addGradient(made.o, t, w);
    Batches.addColumnSums(t, outBias(), columns(sums, input), pass);
    out.multiplyTransposed(t, above, w, RowEpilogue.NONE);
    attention().backward(made.qkv, made.o, made.sums, above, inside, packed, w);
    Weight in = pass.state().parameter(inWeight());
    in.addGradient(x, inside, w);
    Batches.addColumnSums(inside, inBias(), columns(sums, inner()), pass);
    if (g != null) {
      in.multiplyTransposed(inside, g, w, RowEpilogue.NONE);
    }
  }
}
