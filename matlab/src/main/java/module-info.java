/// Reads graphs in MATLAB files. It is separate from the other formats because its library uses
/// `sun.misc.Unsafe`; [dev.gossamer.graph.format.GraphFormat#all] contains it if this module is
/// present.
module dev.gossamer.matlab {
  requires dev.gossamer.graph;
  requires us.hebi.matlab.mat.mfl.core;
  // The library above is not a named module and cannot require sun.misc.Unsafe itself.
  requires jdk.unsupported;

  provides dev.gossamer.graph.format.GraphFormat with
      dev.gossamer.matlab.Facebook100Format;
}
