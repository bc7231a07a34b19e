package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A text that every JDK contains: the declarations of the classes of the module `java.base`.
///
/// A line for each class, field and method, in ascending order: `java.util.List`,
/// `java.lang.Integer.MAX_VALUE: int`, `java.util.List.add(int, Object): void`. Types are written
/// without their packages, and constructors are named `new`. Synthetic members, class initialisers
/// and anonymous classes are left out. Equal JDKs yield equal text.
final class JdkText {
  /// Its name on the command line.
  static final String NAME = "jdk-text";

  private static final URI RUNTIME = URI.create("jrt:/");

  private JdkText() {}

  /// Returns the text, in its own memory.
  static TextSlice slice() {
    byte[] bytes = lines().getBytes(StandardCharsets.UTF_8);
    return new TextSlice(NAME, 0, MemorySegment.ofArray(bytes));
  }

  private static String lines() {
    Path module = FileSystems.getFileSystem(RUNTIME).getPath("/modules/java.base");
    try (Stream<Path> walk = Files.walk(module)) {
      List<Path> files = walk.filter(file -> file.toString().endsWith(".class")).toList();
      return files.parallelStream()
          .flatMap(JdkText::declarations)
          .sorted()
          .distinct()
          .collect(Collectors.joining("\n", "", "\n"));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(module, e);
    } catch (UncheckedIOException e) {
      throw InvalidInputException.unreadable(module, new IOException(e));
    }
  }

  private static Stream<String> declarations(Path file) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String name = model.thisClass().asInternalName().replace('/', '.').replace('$', '.');
    if (name.equals("module-info") || name.matches(".*\\.[0-9].*")) {
      return Stream.of();
    }
    Stream<String> fields =
        model.fields().stream()
            .filter(field -> !field.flags().has(AccessFlag.SYNTHETIC))
            .map(field -> name + "." + line(field));
    Stream<String> methods =
        model.methods().stream()
            .filter(method -> !method.flags().has(AccessFlag.SYNTHETIC))
            .filter(method -> !method.methodName().equalsString("<clinit>"))
            .map(method -> name + "." + line(method));
    return Stream.of(Stream.of(name), fields, methods).flatMap(lines -> lines);
  }

  private static String line(FieldModel field) {
    return field.fieldName().stringValue() + ": " + type(field.fieldTypeSymbol());
  }

  private static String line(MethodModel method) {
    boolean constructor = method.methodName().equalsString("<init>");
    String parameters =
        method.methodTypeSymbol().parameterList().stream()
            .map(JdkText::type)
            .collect(Collectors.joining(", ", "(", ")"));
    return constructor
        ? "new" + parameters
        : method.methodName().stringValue()
            + parameters
            + ": "
            + type(method.methodTypeSymbol().returnType());
  }

  private static String type(ClassDesc type) {
    return type.displayName().replace('$', '.');
  }
}
