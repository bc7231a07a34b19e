package dev.gossamer.nn.optimizer;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.AdamStep;
import dev.gossamer.matrix.dense.MomentumStep;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// An [OptimizerRule] with its state: `slots` flat float32 segments of the size of the weights.
public final class Optimizer {
  /// Elements of one task: enough to be worth a thread.
  private static final int TASK = 1 << 14;

  /// A run of elements with the same decay.
  private record Piece(long begin, long end, double decay) {}

  private final OptimizerRule rule;
  private final List<MemorySegment> moments;
  private final List<Piece> pieces = new ArrayList<>();
  private long steps;

  /// Creates an optimizer with zero state that has taken no steps.
  ///
  /// @param arena owner of the memory
  /// @param rule of the steps
  /// @param layout of the parameters to update
  public Optimizer(Arena arena, OptimizerRule rule, ParameterLayout layout) {
    this.rule = rule;
    List<MemorySegment> segments = new ArrayList<>();
    for (int i = 0; i < rule.slots(); i++) {
      segments.add(arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT));
    }
    moments = List.copyOf(segments);
    for (ParameterLayout.Entry entry : layout.entries()) {
      long end = entry.offset() + entry.count();
      for (long begin = entry.offset(); begin < end; begin += TASK) {
        pieces.add(new Piece(begin, Math.min(begin + TASK, end), entry.decay()));
      }
    }
  }

  /// {@return an optimizer that continues with fewer parameters: it keeps the moments of the
  /// remaining ones and the number of steps} This optimizer is not changed.
  ///
  /// @param arena owner of the memory
  /// @param from whose [ModelState#kept] this optimizer was made for
  /// @param to a state of the same parameters that keeps at most the same elements
  public Optimizer pruned(Arena arena, ModelState from, ModelState to) {
    Optimizer fewer = new Optimizer(arena, rule, to.kept());
    for (int i = 0; i < moments.size(); i++) {
      CompressedState.move(from, moments.get(i), to, fewer.moments.get(i));
    }
    fewer.restore(steps);
    return fewer;
  }

  /// {@return the bytes of the state of a rule}
  ///
  /// @param rule of the steps
  /// @param layout all parameters of the model
  public static long bytes(OptimizerRule rule, ParameterLayout layout) {
    return rule.slots() * layout.count() * Float.BYTES;
  }

  /// {@return the state, `float32[count]` per slot, for a checkpoint; borrowed}
  public List<MemorySegment> moments() {
    return moments;
  }

  /// {@return the number of steps so far}
  public long steps() {
    return steps;
  }

  /// Continues from a checkpoint whose moments have been copied into [#moments].
  ///
  /// @param stepsTaken as returned by [#steps]
  public void restore(long stepsTaken) {
    steps = stepsTaken;
  }

  /// Performs one step of all parameters along their gradients. The gradients are not changed.
  ///
  /// @param state of the layout that the optimizer was made for
  /// @param learningRate of this step
  /// @param workers threads to use; borrowed
  public void step(ModelState state, double learningRate, Workers workers) {
    step(state, learningRate, 1, workers);
  }

  /// Performs one step of all parameters along their gradients, multiplied by a factor: the inverse
  /// of a loss scale, or a clipping factor. The gradients are not changed.
  ///
  /// @param state of the layout that the optimizer was made for
  /// @param learningRate of this step
  /// @param gradientScale as returned by [GradientNorm#factor]
  /// @param workers threads to use; borrowed
  public void step(ModelState state, double learningRate, float gradientScale, Workers workers) {
    steps++;
    workers.run(
        pieces.size(),
        (task, worker) -> update(state, pieces.get(task), learningRate, gradientScale));
  }

  private void update(ModelState state, Piece piece, double rate, float gradientScale) {
    double decay = piece.decay() * rule.weightDecay();
    switch (rule) {
      case OptimizerRule.Adam r ->
          adam(
              state,
              piece,
              adamStep(rate, decay, 0, gradientScale, r.beta1(), r.beta2(), r.epsilon()));
      case OptimizerRule.AdamW r ->
          adam(
              state,
              piece,
              adamStep(rate, 0, decay, gradientScale, r.beta1(), r.beta2(), r.epsilon()));
      case OptimizerRule.Sgd r ->
          new MomentumStep((float) rate, (float) r.momentum(), gradientScale, (float) decay)
              .apply(
                  state.weights(), state.gradients(), moments.get(0), piece.begin(), piece.end());
    }
  }

  private AdamStep adamStep(
      double rate,
      double gradientDecay,
      double weightDecay,
      float gradientScale,
      double beta1,
      double beta2,
      double epsilon) {
    return new AdamStep(
        (float) beta1,
        (float) beta2,
        (float) (1 - beta1),
        (float) (1 - beta2),
        gradientScale,
        (float) gradientDecay,
        (float) (1 - rate * weightDecay),
        (float) (rate / (1 - Math.pow(beta1, (double) steps))),
        (float) (1 / Math.sqrt(1 - Math.pow(beta2, (double) steps))),
        (float) epsilon);
  }

  private void adam(ModelState state, Piece piece, AdamStep step) {
    step.apply(
        state.weights(),
        state.gradients(),
        moments.get(0),
        moments.get(1),
        piece.begin(),
        piece.end());
  }
}
