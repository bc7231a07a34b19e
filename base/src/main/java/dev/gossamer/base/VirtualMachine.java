package dev.gossamer.base;

import java.lang.foreign.MemorySegment;

/// The required features of the Java virtual machine: the Vector API, which is an incubating
/// module, and native access for kernels that work on addresses.
///
/// Matrices and threads, which every use of the library needs, check them when they are
/// initialised. Otherwise a run would fail later with a missing class.
public final class VirtualMachine {
  /// The flag of native access where Gossamer is on the module path.
  public static final String NATIVE_MODULES =
      "--enable-native-access=dev.gossamer.base,dev.gossamer.matrix,dev.gossamer.comm,dev.gossamer.partition";

  private static final String ON_CLASS_PATH =
      "--add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED";

  private VirtualMachine() {}

  /// Checks that all features are available. If native access has been neither allowed nor denied,
  /// the virtual machine prints a warning, once.
  ///
  /// @throws LinkageError if one is missing, naming the flags; an error, because initialisers throw
  ///   errors unchanged
  public static void require() {
    Module module = VirtualMachine.class.getModule();
    String flags = module.isNamed() ? NATIVE_MODULES : ON_CLASS_PATH;
    try {
      Class.forName(
          "jdk.incubator.vector.FloatVector", false, VirtualMachine.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new LinkageError(message("the module jdk.incubator.vector is missing", flags), e);
    }
    try {
      MemorySegment.NULL.reinterpret(0);
    } catch (IllegalCallerException e) {
      throw new LinkageError(message("native access is denied", flags), e);
    }
  }

  private static String message(String what, String flags) {
    return "Gossamer cannot run: %s; start java with %s".formatted(what, flags);
  }
}
