func.func @f(%x: !torch.vtensor<[4],si64>) -> !torch.vtensor<[4],si64> attributes {torch.onnx_meta.opset_version = 18 : si64} {
  return %x : !torch.vtensor<[4],si64>
}
