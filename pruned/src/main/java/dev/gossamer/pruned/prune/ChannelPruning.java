package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.dense.MagnitudeKeys;
import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Prunes the channels of a convolutional network whose batch normalisation scales them least, over
/// all layers together (Z. Liu et al., *Learning Efficient Convolutional Networks through Network
/// Slimming*, ICCV 2017; H. You et al., *Drawing Early-Bird Tickets*, ICLR 2020, section 3).
///
/// It deviates from these in that the sparsity is a share of the parameters, not of the channels,
/// so that masks of all kinds compare: the last channel to go keeps its last few elements, so that
/// the count is exact. And the channel with the largest scale of each layer stays, without which
/// nothing would pass. Scales and vectors are not pruned themselves: a channel without weights is
/// constant. What has been pruned before stays so, whatever has become of its scale.
public final class ChannelPruning {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// One channel, of the group with this number; those with the smallest keys go.
  private record Channel(int group, int column, int key) {}

  /// Key of a channel that has lost all elements.
  private static final int GONE = -2;

  /// Key of the channel that has lost some.
  private static final int GOING = -1;

  private ChannelPruning() {}

  /// {@return how many elements go}
  ///
  /// @param layout of all parameters
  /// @param groups all convolutions that may lose channels, all but one each
  /// @param sparsity share of all parameters
  /// @throws IllegalArgumentException if the channels have too few elements
  public static long removed(ParameterLayout layout, List<ChannelGroup> groups, double sparsity) {
    long prunable = 0;
    for (ChannelGroup group : groups) {
      ParameterLayout.Entry weight = layout.entry(group.weight());
      prunable += (long) weight.rows() * (weight.cols() - 1);
    }
    return PruningQuota.total(layout.count(), prunable, sparsity);
  }

  /// The channels with the smallest scales of all layers together are pruned.
  ///
  /// @param state of the parameters
  /// @param groups all convolutions that may lose channels
  /// @param sparsity share of all parameters
  /// @return what survives
  /// @throws IllegalArgumentException if the channels have too few elements, or a gain is not as
  ///   long as its matrix is wide
  public static Mask mask(ModelState state, List<ChannelGroup> groups, double sparsity) {
    ParameterLayout layout = state.layout();
    Mask before = state.mask();
    List<Channel> channels = new ArrayList<>();
    Map<String, BitSet> kept = new HashMap<>();
    for (int g = 0; g < groups.size(); g++) {
      ParameterLayout.Entry weight = layout.entry(groups.get(g).weight());
      List<Channel> all = channels(state, before, g, groups.get(g), weight);
      channels.addAll(all.subList(0, all.size() - 1));
      BitSet bits = new BitSet();
      bits.set(0, Math.toIntExact(weight.count()));
      kept.put(weight.name(), bits);
    }
    long left = removed(layout, groups, sparsity);
    channels.sort(Comparator.comparingInt(Channel::key));
    for (Channel channel : channels) {
      ParameterLayout.Entry weight = layout.entry(groups.get(channel.group()).weight());
      BitSet bits = kept.getOrDefault(weight.name(), new BitSet());
      for (int row = 0; row < weight.rows() && left > 0; row++, left--) {
        bits.clear(row * weight.cols() + channel.column());
      }
    }
    return new Mask(layout, kept);
  }

  /// The channels of a group in ascending order of their scales.
  private static List<Channel> channels(
      ModelState state, Mask before, int number, ChannelGroup group, ParameterLayout.Entry weight) {
    MemorySegment gain = state.vector(group.gain());
    if (gain.byteSize() != (long) weight.cols() * Float.BYTES || !Mask.prunable(weight)) {
      throw new IllegalArgumentException(
          "channels: %s: expected a matrix with a column for each of the %d scales %s, found %d x %d"
              .formatted(
                  weight.name(),
                  gain.byteSize() / Float.BYTES,
                  group.gain(),
                  weight.rows(),
                  weight.cols()));
    }
    BitSet survivors = before.survivors(weight.name());
    List<Channel> channels = new ArrayList<>();
    for (int j = 0; j < weight.cols(); j++) {
      int lost = lost(survivors, weight, j);
      int key = MagnitudeKeys.of(gain.getAtIndex(FLOAT, j));
      channels.add(new Channel(number, j, lost == weight.rows() ? GONE : lost > 0 ? GOING : key));
    }
    channels.sort(Comparator.comparingInt(Channel::key));
    return channels;
  }

  /// How many elements a channel has lost.
  private static int lost(BitSet survivors, ParameterLayout.Entry weight, int channel) {
    int lost = 0;
    for (int row = 0; row < weight.rows(); row++) {
      lost += survivors.get(row * weight.cols() + channel) ? 0 : 1;
    }
    return lost;
  }
}
