package dev.gossamer.nn.optimizer;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// An [OptimizerRule] with its memory: `slots` flat float32 segments beside the weights.
public final class Optimizer {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Elements of one task: enough to be worth a thread.
  private static final int TASK = 1 << 14;

  /// A run of elements with the same decay.
  private record Piece(long begin, long end, boolean decays) {}

  private final OptimizerRule rule;
  private final List<MemorySegment> moments;
  private final List<Piece> pieces = new ArrayList<>();
  private long steps;

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
        pieces.add(new Piece(begin, Math.min(begin + TASK, end), entry.decays()));
      }
    }
  }

  /// Bytes of the memory of a rule, before it exists.
  public static long bytes(OptimizerRule rule, ParameterLayout layout) {
    return rule.slots() * layout.count() * Float.BYTES;
  }

  /// The memory, for a checkpoint: `float32[count]` each. Borrowed.
  public List<MemorySegment> moments() {
    return moments;
  }

  /// Steps taken so far.
  public long steps() {
    return steps;
  }

  /// Continues from a checkpoint whose moments have been copied into [#moments].
  public void restore(long stepsTaken) {
    steps = stepsTaken;
  }

  /// One step of all parameters along their gradients. The gradients are left as they are.
  public void step(ModelState state, double learningRate, Workers workers) {
    steps++;
    workers.run(pieces.size(), (task, worker) -> update(state, pieces.get(task), learningRate));
  }

  private void update(ModelState state, Piece piece, double rate) {
    double decay = piece.decays() ? rule.weightDecay() : 0;
    switch (rule) {
      case OptimizerRule.Adam r ->
          adam(state, piece, rate, decay, 0, r.beta1(), r.beta2(), r.epsilon());
      case OptimizerRule.AdamW r ->
          adam(state, piece, rate, 0, decay, r.beta1(), r.beta2(), r.epsilon());
      case OptimizerRule.Sgd r -> sgd(state, piece, rate, decay, r.momentum());
    }
  }

  private void adam(
      ModelState state,
      Piece piece,
      double rate,
      double gradientDecay,
      double weightDecay,
      double beta1,
      double beta2,
      double epsilon) {
    MemorySegment w = state.weights();
    MemorySegment g = state.gradients();
    MemorySegment m = moments.get(0);
    MemorySegment v = moments.get(1);
    float b1 = (float) beta1;
    float b2 = (float) beta2;
    float rest1 = (float) (1 - beta1);
    float rest2 = (float) (1 - beta2);
    float pull = (float) gradientDecay;
    float keep = (float) (1 - rate * weightDecay);
    float stepSize = (float) (rate / (1 - Math.pow(beta1, (double) steps)));
    float rootCorrection = (float) (1 / Math.sqrt(1 - Math.pow(beta2, (double) steps)));
    float eps = (float) epsilon;
    for (long i = piece.begin(); i < piece.end(); i++) {
      float weight = w.getAtIndex(FLOAT, i);
      float gradient = g.getAtIndex(FLOAT, i) + pull * weight;
      float mean = b1 * m.getAtIndex(FLOAT, i) + rest1 * gradient;
      float square = b2 * v.getAtIndex(FLOAT, i) + rest2 * gradient * gradient;
      m.setAtIndex(FLOAT, i, mean);
      v.setAtIndex(FLOAT, i, square);
      float root = (float) Math.sqrt(square) * rootCorrection + eps;
      w.setAtIndex(FLOAT, i, keep * weight - stepSize * mean / root);
    }
  }

  private void sgd(ModelState state, Piece piece, double rate, double decay, double momentum) {
    MemorySegment w = state.weights();
    MemorySegment g = state.gradients();
    MemorySegment m = moments.get(0);
    float lr = (float) rate;
    float pull = (float) decay;
    float mu = (float) momentum;
    for (long i = piece.begin(); i < piece.end(); i++) {
      float weight = w.getAtIndex(FLOAT, i);
      float velocity = mu * m.getAtIndex(FLOAT, i) + g.getAtIndex(FLOAT, i) + pull * weight;
      m.setAtIndex(FLOAT, i, velocity);
      w.setAtIndex(FLOAT, i, weight - lr * velocity);
    }
  }
}
