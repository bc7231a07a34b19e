package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// Divides the kept elements of a stage's gradients into messages: blocks are added from the last
/// to the first, as the backward pass finishes them, until a bucket is full.
///
/// @param all in the order in which they begin
record Buckets(List<Bucket> all) {
  /// A consecutive part of the gradients.
  ///
  /// @param block the block, within the stage, that completes it
  /// @param begin first kept element
  /// @param end the element after the last
  record Bucket(int block, long begin, long end) {}

  Buckets {
    all = List.copyOf(all);
  }

  /// @param kept layout of what is kept, in the order of blocks
  /// @param parameters of each block
  /// @param most elements that make a bucket full; a larger block is cut into several
  static Buckets of(ParameterLayout kept, List<Integer> parameters, long most) {
    List<Bucket> all = new ArrayList<>();
    int entry = kept.entries().size();
    long end = kept.count();
    for (int block = parameters.size() - 1; block >= 0; block--) {
      entry -= parameters.get(block);
      long begin = entry == kept.entries().size() ? end : kept.entries().get(entry).offset();
      while (end - begin >= most) {
        all.add(new Bucket(block, end - most, end));
        end -= most;
      }
      if (block == 0 && end > begin) {
        all.add(new Bucket(block, begin, end));
      }
    }
    return new Buckets(all);
  }

  /// Elements of the largest bucket.
  long largest() {
    return all.stream().mapToLong(bucket -> bucket.end() - bucket.begin()).max().orElse(0);
  }
}
