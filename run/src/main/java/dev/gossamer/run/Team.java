package dev.gossamer.run;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/// The ranks that train one network, each on its own vertices. All methods are collective.
public interface Team {
  /// Numbers that are reduced in one message.
  int PIECE = 4096;

  /// Adds up float32 numbers over the ranks, in place.
  ///
  /// @param floats `float32[n]`, of equal length on all ranks; overwritten with the sums
  void sum(MemorySegment floats);

  /// Adds up numbers over the ranks.
  ///
  /// @param values any number of them
  /// @return the sums, on every rank
  double[] sum(double... values);

  /// {@return the elementwise maximum over the ranks}
  ///
  /// @param values any number of them
  double[] max(double... values);

  /// {@return the concatenated numbers of all ranks, which may differ in number}
  ///
  /// @param values any number of them
  double[] gathered(double... values);

  /// {@return a number of each rank, in their order}
  ///
  /// @param rank of this process
  /// @param size ranks
  /// @param mine number of this rank
  default List<Long> byRank(int rank, int size, long mine) {
    double[] values = new double[size];
    values[rank] = mine;
    return Arrays.stream(sum(values)).mapToObj(sum -> (long) sum).toList();
  }

  /// {@return the ranks of a communicator}
  ///
  /// @param comm ranks that own different vertices: a column of the process grid
  /// @param arena shared, owner of a little memory
  static Team of(Communicator comm, Arena arena) {
    MemorySegment doubles = arena.allocate((long) PIECE * Double.BYTES, Double.BYTES);
    return new Team() {
      @Override
      public void sum(MemorySegment floats) {
        comm.allReduce(floats, Element.FLOAT, Reduction.SUM);
      }

      @Override
      public double[] sum(double... values) {
        return reduced(values, Reduction.SUM);
      }

      @Override
      public double[] max(double... values) {
        return reduced(values, Reduction.MAX);
      }

      @Override
      public double[] gathered(double... values) {
        List<Long> counts = byRank(comm.rank(), comm.size(), values.length);
        long before = counts.stream().limit(comm.rank()).mapToLong(Long::longValue).sum();
        long total = counts.stream().mapToLong(Long::longValue).sum();
        double[] all = new double[Math.toIntExact(total)];
        System.arraycopy(values, 0, all, (int) before, values.length);
        return sum(all);
      }

      private double[] reduced(double[] values, Reduction reduction) {
        double[] result = new double[values.length];
        for (int begin = 0; begin < values.length; begin += PIECE) {
          int count = Math.min(PIECE, values.length - begin);
          MemorySegment piece = doubles.asSlice(0, (long) count * Double.BYTES);
          MemorySegment.copy(values, begin, piece, ValueLayout.JAVA_DOUBLE, 0, count);
          comm.allReduce(piece, Element.DOUBLE, reduction);
          MemorySegment.copy(piece, ValueLayout.JAVA_DOUBLE, 0, result, begin, count);
        }
        return result;
      }
    };
  }
}
