package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.mpi.FakeMpi.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MpiFlavourTest {
  private static final MpiFlavour MPICH = MpiFlavour.of(new FakeMpi(Kind.MPICH));
  private static final MpiFlavour OPEN_MPI = MpiFlavour.of(new FakeMpi(Kind.OPEN_MPI));

  /// MPICH's handles: two bits that say built in (1), four bits of the kind of object, and for a
  /// type its size in the second byte.
  @Test
  void handlesOfMpichTellWhatTheyAre() {
    int comm = 1;
    int datatype = 3;
    int errhandler = 5;
    int op = 6;
    assertHandle(MPICH.commWorld(), comm);
    assertHandle(MPICH.errorsReturn(), errhandler);
    assertHandle(MPICH.opSum(), op);
    assertHandle(MPICH.opMax(), op);
    assertThat(MPICH.opSum()).isNotEqualTo(MPICH.opMax());
    long[] types = {MPICH.typeByte(), MPICH.typeFloat(), MPICH.typeDouble(), MPICH.typeLong()};
    assertThat(types).doesNotHaveDuplicates();
    int[] sizes = {1, Float.BYTES, Double.BYTES, Long.BYTES};
    for (int i = 0; i < types.length; i++) {
      assertHandle(types[i], datatype);
      assertThat(types[i] >>> 8 & 0xff).isEqualTo(sizes[i]);
    }
    assertThat(MPICH.name()).isEqualTo("MPICH");
    assertThat(MPICH.hasPointerHandles()).isFalse();
    assertThat(MPICH.handleBytes()).isEqualTo(Kind.MPICH.handleBytes);
    assertThat(MPICH.statusBytes()).isEqualTo(Kind.MPICH.statusBytes);
    assertThat(MPICH.anySource()).isEqualTo(-2);
    assertThat(MPICH.inPlace()).isEqualTo(-1);
  }

  private static void assertHandle(long handle, int object) {
    assertThat(handle >>> 30).isEqualTo(1);
    assertThat(handle >>> 26 & 0xf).isEqualTo(object);
  }

  @Test
  void handlesOfOpenMpiAreAddressesOfItsSymbols() {
    assertThat(OPEN_MPI)
        .isEqualTo(
            new MpiFlavour(
                "Open MPI",
                Kind.OPEN_MPI.handleBytes,
                Kind.OPEN_MPI.statusBytes,
                -1,
                1,
                FakeMpi.address("ompi_mpi_comm_world"),
                FakeMpi.address("ompi_mpi_byte"),
                FakeMpi.address("ompi_mpi_float"),
                FakeMpi.address("ompi_mpi_double"),
                FakeMpi.address("ompi_mpi_int64_t"),
                FakeMpi.address("ompi_mpi_op_sum"),
                FakeMpi.address("ompi_mpi_op_max"),
                FakeMpi.address("ompi_mpi_errors_return")));
    assertThat(OPEN_MPI.hasPointerHandles()).isTrue();
  }

  @Test
  void anOpenMpiWithoutItsSymbolsIsRefused() {
    assertThatThrownBy(() ->
            MpiFlavour.of(name ->
                name.equals("ompi_mpi_comm_world")
                    ? Optional.of(MemorySegment.ofAddress(8))
                    : Optional.empty()))
        .isInstanceOf(NoSuchElementException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "1, 0, 1",
    "-1, 0, 4294967295",
    "0, 2, 4294967296",
    "7, 6, 12884901895",
    "1073741824, 2, 5368709120"
  })
  void bytesOfMpichAreInTwoWords(int low, int high, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      // Statuses of 20 bytes follow each other, so that every second one is not aligned.
      MemorySegment status = arena.allocate(64, 8).asSlice(20, 20);
      status.fill((byte) -1);
      status.set(ValueLayout.JAVA_INT_UNALIGNED, 0, low);
      status.set(ValueLayout.JAVA_INT_UNALIGNED, 4, high);
      assertThat(MPICH.receivedBytes(status)).isEqualTo(bytes);
      // A cancelled message has the lowest bit set.
      status.set(ValueLayout.JAVA_INT_UNALIGNED, 4, high | 1);
      assertThat(MPICH.receivedBytes(status)).isEqualTo(bytes);
    }
  }

  @Test
  void bytesOfOpenMpiAreInOneWord() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(64, 8).asSlice(4, 24);
      status.fill((byte) -1);
      status.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, 5L << 30);
      assertThat(OPEN_MPI.receivedBytes(status)).isEqualTo(5L << 30);
    }
  }
}
