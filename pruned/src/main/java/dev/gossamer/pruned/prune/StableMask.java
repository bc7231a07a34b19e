package dev.gossamer.pruned.prune;

import dev.gossamer.nn.state.Mask;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongUnaryOperator;

/// Detects when a network's mask has stabilised, so that its ticket can be drawn (H. You et al.,
/// *Drawing Early-Bird Tickets: Toward More Efficient Training of Deep Networks*, ICLR 2020,
/// section 4).
///
/// The masks of the last epochs are kept, first in, first out; a ticket is drawn when the window is
/// full and the newest mask differs from each other one by less than the threshold. Distances are
/// [Mask#distance]: fractions of the survivors. The publication divides by all elements, which is
/// the same if half of them survive; if a tenth survives, its distances are at most 0.2, and a
/// threshold of 0.1 would mean little.
public final class StableMask {
  private final int window;
  private final double threshold;
  private final LongUnaryOperator summed;
  private final Deque<Mask> masks = new ArrayDeque<>();
  private double largest = Double.NaN;

  /// Creates a detector with a window and threshold.
  ///
  /// @param window number of masks that are kept, including the newest; at least 2
  /// @param threshold smallest distance at which no ticket is drawn
  public StableMask(int window, double threshold) {
    this(window, threshold, LongUnaryOperator.identity());
  }

  /// Creates a detector for masks that are distributed over ranks.
  ///
  /// @param window number of masks that are kept, including the newest; at least 2
  /// @param threshold smallest distance at which no ticket is drawn
  /// @param summed sums a number over the ranks that share the parameters: *collective*, and
  ///   therefore [#add] too
  public StableMask(int window, double threshold, LongUnaryOperator summed) {
    if (window < 2 || !(threshold > 0)) {
      throw new IllegalArgumentException(
          "early bird: expected a window of at least 2 and a positive threshold, found %d and %s"
              .formatted(window, threshold));
    }
    this.window = window;
    this.threshold = threshold;
    this.summed = summed;
  }

  /// Adds the mask of an epoch.
  ///
  /// @param mask of this epoch
  /// @return whether the ticket is drawn, with this mask
  public boolean add(Mask mask) {
    if (masks.size() == window) {
      masks.removeFirst();
    }
    double most = 0;
    long survivors = summed.applyAsLong(mask.survivorsOfMatrices());
    for (Mask earlier : masks) {
      long all = survivors + summed.applyAsLong(earlier.survivorsOfMatrices());
      long differences = summed.applyAsLong(mask.differences(earlier));
      most = Math.max(most, (double) differences / (double) Math.max(1, all));
    }
    masks.addLast(mask);
    largest = masks.size() == 1 ? Double.NaN : most;
    return masks.size() == window && most < threshold;
  }

  /// {@return the masks that are kept, oldest first}
  public List<Mask> masks() {
    return List.copyOf(masks);
  }

  /// {@return the largest distance of the newest mask to a kept one; NaN before the second mask}
  public double largestDistance() {
    return largest;
  }
}
