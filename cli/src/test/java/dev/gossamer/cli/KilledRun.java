package dev.gossamer.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;

/// The command line, in a process that ends as one that is killed, without a word and without
/// writing anything more, where it is about to append a line to `metrics.jsonl`: a fixed moment of
/// a run, whatever the machine does meanwhile.
///
/// Arguments: number of that line, counted from the first that this process appends; then the
/// command.
public final class KilledRun {
  /// As of a process that SIGKILL has ended.
  public static final int STATUS = 137;

  private static final String METRICS = "dev.gossamer.run.MetricsFile";
  private static final String LINE = "killed.run.line";

  private static int appended;

  private KilledRun() {}

  /// Called by each append.
  public static void appending() {
    appended++;
    if (appended == Integer.getInteger(LINE)) {
      Runtime.getRuntime().halt(STATUS);
    }
  }

  /// Runs the command.
  public static void main(String[] arguments) throws ReflectiveOperationException {
    System.setProperty(LINE, arguments[0]);
    Loader loader = new Loader(KilledRun.class.getClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    String[] command = Arrays.copyOfRange(arguments, 1, arguments.length);
    loader
        .loadClass(Main.class.getName())
        .getMethod("main", String[].class)
        .invoke(null, (Object) command);
  }

  /// Loads the classes of Gossamer itself, one of them changed.
  private static final class Loader extends ClassLoader {
    Loader(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith("dev.gossamer.")) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        byte[] used = name.equals(METRICS) ? changed(bytes) : bytes;
        return defineClass(name, used, 0, used.length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static byte[] changed(byte[] bytes) {
      ClassModel metrics = ClassFile.of().parse(bytes);
      CodeTransform first =
          CodeTransform.ofStateful(() -> {
            boolean[] begun = new boolean[1];
            return (code, element) -> {
              if (!begun[0]) {
                begun[0] = true;
                code.invokestatic(
                    ClassDesc.of(KilledRun.class.getName()),
                    "appending",
                    MethodTypeDesc.of(ConstantDescs.CD_void));
              }
              code.with(element);
            };
          });
      return ClassFile.of()
          .transformClass(metrics, ClassTransform.transformingMethodBodies(Loader::appends, first));
    }

    private static boolean appends(MethodModel method) {
      return method.methodName().equalsString("append")
          && method.methodType().stringValue().contains("ObjectNode");
    }
  }
}
