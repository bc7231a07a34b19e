/// Reads graphs in MATLAB files. Apart from the other formats because its library uses
/// `sun.misc.Unsafe`; [dev.gossamer.graph.format.GraphFormat#all] has it wherever this module is
/// present.
module dev.gossamer.matlab {
  requires dev.gossamer.graph;
  requires us.hebi.matlab.mat.mfl.core;
  // The library above is no named module and cannot ask for sun.misc.Unsafe itself.
  requires jdk.unsupported;

  provides dev.gossamer.graph.format.GraphFormat with
      dev.gossamer.matlab.Facebook100Format;
}
