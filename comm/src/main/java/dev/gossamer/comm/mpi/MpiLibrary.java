package dev.gossamer.comm.mpi;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.LaunchEnvironment;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.stream.Stream;

/// The MPI library in this process's memory.
///
/// @param name file or name of the library
/// @param symbols its functions
record MpiLibrary(String name, SymbolLookup symbols, MpiFlavour flavour) {
  private static final int RTLD_NOW_GLOBAL = 0x102;

  /// Loads the requested library, or the one that fits the launcher.
  ///
  /// @param wanted file or name; empty for the launcher's
  /// @throws InvalidInputException if there is none
  static MpiLibrary load(String wanted, LaunchEnvironment environment) {
    keepSignalsOfJava();
    List<String> names = wanted.isEmpty() ? candidates(environment) : List.of(wanted);
    for (String name : names) {
      if (isLoaded(name)) {
        SymbolLookup symbols = SymbolLookup.libraryLookup(name, Arena.global());
        if (symbols.find("MPI_Init_thread").isPresent()) {
          return new MpiLibrary(name, symbols, MpiFlavour.of(symbols));
        }
      }
    }
    throw new InvalidInputException(
        "MPI: no usable library among %s; install Open MPI or MPICH, or name the library's file"
            .formatted(String.join(", ", names)));
  }

  /// What the libraries of the known kinds are called; the launcher's own kind comes first.
  static List<String> candidates(LaunchEnvironment environment) {
    List<String> openMpi = List.of("libmpi.so.40", "libmpi.so.80");
    List<String> mpich = List.of("libmpich.so.12", "libmpi.so.12", "libmpich.so");
    boolean mpichFirst = environment.launcher() == LaunchEnvironment.Launcher.MPICH;
    return Stream.of(
            mpichFirst ? mpich : openMpi, mpichFirst ? openMpi : mpich, List.of("libmpi.so"))
        .flatMap(List::stream)
        .toList();
  }

  /// Communication layers below MPI would take SIGSEGV and SIGFPE away, on which the Java virtual
  /// machine builds its null checks.
  private static void keepSignalsOfJava() {
    MethodHandle setenv =
        libc(
            "setenv",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      for (String[] pair :
          new String[][] {{"UCX_ERROR_SIGNALS", ""}, {"UCX_HANDLE_ERRORS", "none"}}) {
        int result =
            (int) setenv.invokeExact(arena.allocateFrom(pair[0]), arena.allocateFrom(pair[1]), 0);
        if (result != 0) {
          throw new IllegalStateException("setenv " + pair[0] + " failed");
        }
      }
    } catch (Throwable e) {
      throw MpiCalls.unexpected(e);
    }
  }

  /// Loads with the symbols visible to all: Open MPI's own plug-ins look for them.
  private static boolean isLoaded(String name) {
    MethodHandle dlopen =
        libc(
            "dlopen",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle =
          (MemorySegment) dlopen.invokeExact(arena.allocateFrom(name), RTLD_NOW_GLOBAL);
      return handle.address() != 0;
    } catch (Throwable e) {
      throw MpiCalls.unexpected(e);
    }
  }

  private static MethodHandle libc(String function, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(function).orElseThrow(), descriptor);
  }
}
