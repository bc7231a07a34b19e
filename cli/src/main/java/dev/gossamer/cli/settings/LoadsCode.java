package dev.gossamer.cli.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a flag whose value names code to load: a native library, a driver, a plug-in.
///
/// Write access to a file of settings must not allow running code: such a flag accepts a path only
/// on the command line. In a [ConfigFile], including that of a run, it accepts plain names, which
/// the system finds in its library folders.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface LoadsCode {}
