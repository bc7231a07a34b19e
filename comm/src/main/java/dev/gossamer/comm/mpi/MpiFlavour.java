package dev.gossamer.comm.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/// The differences between the binary interfaces of Open MPI and MPICH (and its derivatives Intel
/// MPI, MVAPICH, Cray MPICH). Handles are pointers to global symbols in Open MPI and 32-bit
/// constants in MPICH; here both are longs.
///
/// @param handleBytes bytes of a handle in memory
/// @param statusBytes bytes of an `MPI_Status`
/// @param anySource the rank that stands for all of them in a receive
/// @param inPlace address that means "the receive buffer"
record MpiFlavour(
    String name,
    int handleBytes,
    int statusBytes,
    int anySource,
    long inPlace,
    long commWorld,
    long typeByte,
    long typeFloat,
    long typeDouble,
    long typeLong,
    long opSum,
    long opMax,
    long errorsReturn) {

  static MpiFlavour of(SymbolLookup library) {
    if (library.find("ompi_mpi_comm_world").isEmpty()) {
      return new MpiFlavour(
          "MPICH",
          Integer.BYTES,
          20,
          -2,
          -1,
          0x44000000,
          0x4c00010d,
          0x4c00040a,
          0x4c00080b,
          0x4c00083a,
          0x58000003,
          0x58000001,
          0x54000001);
    }
    return new MpiFlavour(
        "Open MPI",
        Long.BYTES,
        24,
        -1,
        1,
        address(library, "ompi_mpi_comm_world"),
        address(library, "ompi_mpi_byte"),
        address(library, "ompi_mpi_float"),
        address(library, "ompi_mpi_double"),
        address(library, "ompi_mpi_int64_t"),
        address(library, "ompi_mpi_op_sum"),
        address(library, "ompi_mpi_op_max"),
        address(library, "ompi_mpi_errors_return"));
  }

  private static long address(SymbolLookup library, String symbol) {
    return library.find(symbol).map(MemorySegment::address).orElseThrow();
  }

  /// Returns the bytes of a status's message, received as bytes. Reads the field at its position in
  /// both libraries' headers, which saves a call per message.
  long receivedBytes(MemorySegment status) {
    if (hasPointerHandles()) {
      return status.get(ValueLayout.JAVA_LONG_UNALIGNED, 16);
    }
    long low = Integer.toUnsignedLong(status.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
    // The lowest bit of the upper word is set if the message was cancelled.
    long high = Integer.toUnsignedLong(status.get(ValueLayout.JAVA_INT_UNALIGNED, 4)) >>> 1;
    return high << Integer.SIZE | low;
  }

  boolean hasPointerHandles() {
    return handleBytes == Long.BYTES;
  }
}
