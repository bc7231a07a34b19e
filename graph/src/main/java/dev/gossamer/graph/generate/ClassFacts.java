package dev.gossamer.graph.generate;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodTypeEntry;
import java.lang.classfile.constantpool.NameAndTypeEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.util.HashSet;
import java.util.Set;

/// The contribution of one class file to a [ClassGraph]: its name, the classes that it refers to,
/// and its feature tokens, already hashed.
///
/// @param name internal name, `java/util/Map$Entry`
/// @param origin module, jar or folder that holds it
/// @param references internal names that occur in it, possibly including its own
/// @param features indices of its nonzero features, ascending
record ClassFacts(String name, String origin, Set<String> references, Set<Integer> features) {
  /// @param file the bytes of a class file
  /// @throws IllegalArgumentException if it is not a class file
  /// @throws IndexOutOfBoundsException if it is truncated
  static ClassFacts of(String origin, byte[] file) {
    ClassModel model = ClassFile.of().parse(file);
    Set<String> references = new HashSet<>();
    int members = 0;
    int strings = 0;
    for (PoolEntry entry : model.constantPool()) {
      switch (entry) {
        case ClassEntry type -> addClass(references, type.asInternalName());
        case NameAndTypeEntry pair -> addDescriptor(references, pair.type().stringValue());
        case MethodTypeEntry type -> addDescriptor(references, type.descriptor().stringValue());
        case MemberRefEntry _ -> members++;
        case StringEntry _ -> strings++;
        default -> {
          // Numbers, text and call sites: the types in them have entries of their own.
        }
      }
    }
    model.fields().forEach(field -> addDescriptor(references, field.fieldType().stringValue()));
    model.methods().forEach(method -> addDescriptor(references, method.methodType().stringValue()));
    HashedTokens tokens = new HashedTokens(ClassGraph.FEATURES);
    addWords(tokens, model);
    addFlags(tokens, model);
    addCounts(tokens, model);
    tokens.add(count("constantPool", model.constantPool().size()));
    tokens.add(count("memberRefs", members));
    tokens.add(count("strings", strings));
    tokens.add(count("file", file.length));
    return new ClassFacts(model.thisClass().asInternalName(), origin, references, tokens.indices());
  }

  private static void addWords(HashedTokens tokens, ClassModel model) {
    for (FieldModel field : model.fields()) {
      if ((field.flags().flagsMask() & ClassFile.ACC_SYNTHETIC) == 0) {
        tokens.addWords("f:", field.fieldName().stringValue());
      }
    }
    for (MethodModel method : model.methods()) {
      String name = method.methodName().stringValue();
      if ((method.flags().flagsMask() & ClassFile.ACC_SYNTHETIC) == 0 && !name.startsWith("<")) {
        tokens.addWords("m:", name);
      }
    }
  }

  private static void addFlags(HashedTokens tokens, ClassModel model) {
    int mask = model.flags().flagsMask();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      tokens.add("a:" + Integer.toHexString(Integer.lowestOneBit(rest)));
    }
  }

  private static void addCounts(HashedTokens tokens, ClassModel model) {
    int statics = 0;
    int abstracts = 0;
    for (MethodModel method : model.methods()) {
      int mask = method.flags().flagsMask();
      statics += (mask & ClassFile.ACC_STATIC) != 0 ? 1 : 0;
      abstracts += (mask & ClassFile.ACC_ABSTRACT) != 0 ? 1 : 0;
    }
    tokens.add(count("interfaces", model.interfaces().size()));
    tokens.add(count("fields", model.fields().size()));
    tokens.add(count("methods", model.methods().size()));
    tokens.add(count("statics", statics));
    tokens.add(count("abstracts", abstracts));
  }

  /// A count by its order of magnitude: the number of its binary digits, 0 for 0.
  private static String count(String key, int count) {
    return "n:" + key + ":" + (Integer.SIZE - Integer.numberOfLeadingZeros(count));
  }

  /// A class entry is an internal name, or the descriptor of an array.
  private static void addClass(Set<String> names, String entry) {
    if (entry.startsWith("[")) {
      addDescriptor(names, entry);
    } else {
      names.add(entry);
    }
  }

  /// Every `Lname;` in a field or method descriptor.
  private static void addDescriptor(Set<String> names, String descriptor) {
    int begin = descriptor.indexOf('L');
    while (begin >= 0) {
      int end = descriptor.indexOf(';', begin);
      if (end < 0) {
        throw new IllegalArgumentException("descriptor without an end: " + descriptor);
      }
      names.add(descriptor.substring(begin + 1, end));
      begin = descriptor.indexOf('L', end);
    }
  }
}
