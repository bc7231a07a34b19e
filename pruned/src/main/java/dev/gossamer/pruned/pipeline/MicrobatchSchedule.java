package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// Chooses the next microbatch of a stage: **message-driven**, it processes messages as they arrive
/// (SAMO, section II-E). If both a gradient and an activation have arrived, the gradient comes
/// first, because its microbatch then frees memory.
///
/// Messages between two stages arrive in the order in which they were sent, so forward passes run
/// in the order of microbatches, and backward passes too; only how they interleave depends on time.
/// So gradients are added in the order of microbatches, and results are bit-identical regardless of
/// when messages arrive.
final class MicrobatchSchedule {
  private static final int ACTIVATION = 1;
  private static final int GRADIENT = 2;

  /// What a stage does with a microbatch.
  interface Work {
    /// Loads the samples of a microbatch on the first stage.
    void load(int microbatch);

    /// The forward pass.
    void forward(int microbatch);

    /// The backward pass.
    ///
    /// @param t gradient of the output, from the next stage; null on the last stage, which computes
    ///   it
    void backward(int microbatch, @Nullable DenseMatrix t);
  }

  private final Communicator pipeline;
  private final Stage stage;
  private final StageClock clock;
  private final int samples;
  private final long transitNanos;
  private final boolean first;
  private final boolean last;

  /// @param pipeline the stages of this replica, in their order
  /// @param samples of a microbatch
  /// @param transitNanos that a message is on its way ([MessageTime]): this much of each wait is
  ///   not a bubble
  MicrobatchSchedule(
      Communicator pipeline, Stage stage, StageClock clock, int samples, long transitNanos) {
    this.pipeline = pipeline;
    this.stage = stage;
    this.clock = clock;
    this.samples = samples;
    this.transitNanos = transitNanos;
    first = stage.plan().first();
    last = stage.plan().last();
  }

  /// Runs all microbatches of one iteration, forwards and backwards.
  void run(int microbatches, Work work) {
    new Run(microbatches, work).all();
  }

  /// Runs all microbatches, forwards only.
  ///
  /// @param samplesOf each microbatch; the last may have fewer
  void runForward(int microbatches, IntUnaryOperator samplesOf, Work work) {
    Deque<Request> sends = new ArrayDeque<>();
    for (int m = 0; m < microbatches; m++) {
      if (first) {
        work.load(m);
      } else {
        MemorySegment x = stage.arrivingInput(m, samplesOf.applyAsInt(m));
        pipeline.receive(pipeline.rank() - 1, ACTIVATION, x);
      }
      if (sends.size() == stage.plan().slots()) {
        sends.remove().await();
      }
      work.forward(m);
      if (!last) {
        sends.add(pipeline.beginSend(pipeline.rank() + 1, ACTIVATION, stage.leavingOutput(m)));
      }
    }
    Request.awaitAll(List.copyOf(sends));
  }

  /// One iteration on its way.
  private final class Run {
    private final int microbatches;
    private final Work work;
    private final Deque<Request> activations = new ArrayDeque<>();
    private final Deque<Request> gradients = new ArrayDeque<>();
    private final Deque<Request> forwardSends = new ArrayDeque<>();
    private final Deque<Request> backwardSends = new ArrayDeque<>();
    private int activationsAsked;
    private int gradientsAsked;
    private int forwards;
    private int backwards;

    Run(int microbatches, Work work) {
      this.microbatches = microbatches;
      this.work = work;
    }

    void all() {
      while (backwards < microbatches) {
        ask();
        if (isGradientThere()) {
          backward();
        } else if (isActivationThere()) {
          forward();
        } else {
          await();
        }
      }
      clock.measure(
          StagePhase.POINT_TO_POINT,
          "sends",
          () -> {
            Request.awaitAll(List.copyOf(forwardSends));
            Request.awaitAll(List.copyOf(backwardSends));
          });
    }

    /// Begins to receive what there is room for.
    private void ask() {
      while (!first
          && activationsAsked < microbatches
          && activationsAsked < backwards + stage.plan().inputs()) {
        MemorySegment x = stage.arrivingInput(activationsAsked++, samples);
        activations.add(pipeline.beginReceive(pipeline.rank() - 1, ACTIVATION, x));
      }
      while (!last
          && gradientsAsked < microbatches
          && gradientsAsked < backwards + StagePlan.GRADIENTS) {
        MemorySegment t = stage.arrivingGradient(gradientsAsked++, samples);
        gradients.add(pipeline.beginReceive(pipeline.rank() + 1, GRADIENT, t));
      }
    }

    private boolean isGradientThere() {
      return last ? forwards > backwards : !gradients.isEmpty() && gradients.getFirst().test();
    }

    private boolean hasFreeSlot() {
      return forwards < microbatches && forwards < backwards + stage.plan().slots();
    }

    private boolean isActivationThere() {
      return hasFreeSlot() && (first || activations.getFirst().test());
    }

    private void await() {
      List<Request> ready = new ArrayList<>();
      if (!gradients.isEmpty()) {
        ready.add(gradients.getFirst());
      }
      if (hasFreeSlot()) {
        ready.add(activations.getFirst());
      }
      long waited = clock.measure(StagePhase.BUBBLE, "wait", () -> Request.awaitAny(ready));
      clock.move(StagePhase.BUBBLE, StagePhase.POINT_TO_POINT, Math.min(waited, transitNanos));
    }

    private void forward() {
      int number = forwards++;
      if (first) {
        clock.measure(StagePhase.FORWARD, "load " + number, () -> work.load(number));
      } else {
        activations.remove();
      }
      while (forwardSends.size() >= stage.plan().slots()) {
        forwardSends.remove().await();
      }
      clock.measure(StagePhase.FORWARD, "forward " + number, () -> work.forward(number));
      if (!last) {
        clock.measure(
            StagePhase.POINT_TO_POINT,
            "send activation " + number,
            () ->
                forwardSends.add(
                    pipeline.beginSend(
                        pipeline.rank() + 1, ACTIVATION, stage.leavingOutput(number))));
      }
    }

    private void backward() {
      int number = backwards;
      if (!last) {
        gradients.remove();
      }
      while (backwardSends.size() >= StagePlan.GRADIENTS) {
        clock.measure(StagePhase.POINT_TO_POINT, "send done", () -> backwardSends.remove().await());
      }
      clock.measure(
          StagePhase.BACKWARD,
          "backward " + number,
          () -> work.backward(number, last ? null : stage.gradient(number, samples)));
      if (!first) {
        clock.measure(
            StagePhase.POINT_TO_POINT,
            "send gradient " + number,
            () ->
                backwardSends.add(
                    pipeline.beginSend(
                        pipeline.rank() - 1, GRADIENT, stage.leavingGradient(number, samples))));
      }
      backwards++;
    }
  }
}
