/// Trained models as files of ONNX, which other programs run without Gossamer. It is an artifact of
/// its own because nothing else needs the classes of ONNX's format.
module dev.gossamer.onnx {
  requires transitive dev.gossamer;
  requires transitive dev.gossamer.pruned;
  requires com.google.protobuf;
  requires org.tribuo.util.onnx;
  requires tools.jackson.databind;

  exports dev.gossamer.onnx;
}
