// One layer of a Llama-style transformer as a frontend writes it in TOSA: RMSNorm, attention with
// rotary positions and a causal mask, SwiGLU. Sequence 128, hidden size 1024, 16 heads of 64,
// feed-forward size 2816. The weights are arguments. The multiplications after the matmuls stand for
// the scale of trained weights, so that random ones in [-1, 1) give activations of size 1.
//
//   kiln-run examples/llama_layer.mlir --target=cpu --check
func.func @layer(%x: tensor<1x128x1024xf32> {ml_program.identifier = "x"},
                 %attention_norm: tensor<1x1x1024xf32> {ml_program.identifier = "attention_norm"},
                 %wq: tensor<1x1024x1024xf32> {ml_program.identifier = "wq"},
                 %wk: tensor<1x1024x1024xf32> {ml_program.identifier = "wk"},
                 %wv: tensor<1x1024x1024xf32> {ml_program.identifier = "wv"},
                 %wo: tensor<1x1024x1024xf32> {ml_program.identifier = "wo"},
                 %ffn_norm: tensor<1x1x1024xf32> {ml_program.identifier = "ffn_norm"},
                 %w_gate: tensor<1x1024x2816xf32> {ml_program.identifier = "w_gate"},
                 %w_up: tensor<1x1024x2816xf32> {ml_program.identifier = "w_up"},
                 %w_down: tensor<1x2816x1024xf32> {ml_program.identifier = "w_down"}) -> tensor<1x128x1024xf32> {
  // Constants that several steps share.
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %one_over_hidden = "tosa.const"() <{values = dense<0.0009765625> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %epsilon = "tosa.const"() <{values = dense<1.0e-5> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %scale_hidden = "tosa.const"() <{values = dense<0.0541265877> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %scale_ffn = "tosa.const"() <{values = dense<0.0326396403> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %scale_scores = "tosa.const"() <{values = dense<0.125> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %heads = tosa.const_shape {values = dense<[1, 128, 16, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %packed = tosa.const_shape {values = dense<[16, 128, 64]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %merged = tosa.const_shape {values = dense<[1, 128, 1024]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %unpacked = tosa.const_shape {values = dense<[1, 16, 128, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %table = tosa.const_shape {values = dense<[1, 1, 128, 32]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %half = tosa.const_shape {values = dense<[1, 16, 128, 32]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %at_first = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %at_second = tosa.const_shape {values = dense<[0, 0, 0, 32]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %as_row = tosa.const_shape {values = dense<[1, 1, 128]> : tensor<3xindex>} : () -> !tosa.shape<3>

  // Rotary positions and the causal mask.
  %positions = "tosa.const"() <{values = dense<[[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [10.0], [11.0], [12.0], [13.0], [14.0], [15.0], [16.0], [17.0], [18.0], [19.0], [20.0], [21.0], [22.0], [23.0], [24.0], [25.0], [26.0], [27.0], [28.0], [29.0], [30.0], [31.0], [32.0], [33.0], [34.0], [35.0], [36.0], [37.0], [38.0], [39.0], [40.0], [41.0], [42.0], [43.0], [44.0], [45.0], [46.0], [47.0], [48.0], [49.0], [50.0], [51.0], [52.0], [53.0], [54.0], [55.0], [56.0], [57.0], [58.0], [59.0], [60.0], [61.0], [62.0], [63.0], [64.0], [65.0], [66.0], [67.0], [68.0], [69.0], [70.0], [71.0], [72.0], [73.0], [74.0], [75.0], [76.0], [77.0], [78.0], [79.0], [80.0], [81.0], [82.0], [83.0], [84.0], [85.0], [86.0], [87.0], [88.0], [89.0], [90.0], [91.0], [92.0], [93.0], [94.0], [95.0], [96.0], [97.0], [98.0], [99.0], [100.0], [101.0], [102.0], [103.0], [104.0], [105.0], [106.0], [107.0], [108.0], [109.0], [110.0], [111.0], [112.0], [113.0], [114.0], [115.0], [116.0], [117.0], [118.0], [119.0], [120.0], [121.0], [122.0], [123.0], [124.0], [125.0], [126.0], [127.0]]]> : tensor<1x128x1xf32>}> : () -> tensor<1x128x1xf32>
  %frequencies = "tosa.const"() <{values = dense<[[[1.000000000e+00, 7.498942093e-01, 5.623413252e-01, 4.216965034e-01, 3.162277660e-01, 2.371373706e-01, 1.778279410e-01, 1.333521432e-01, 1.000000000e-01, 7.498942093e-02, 5.623413252e-02, 4.216965034e-02, 3.162277660e-02, 2.371373706e-02, 1.778279410e-02, 1.333521432e-02, 1.000000000e-02, 7.498942093e-03, 5.623413252e-03, 4.216965034e-03, 3.162277660e-03, 2.371373706e-03, 1.778279410e-03, 1.333521432e-03, 1.000000000e-03, 7.498942093e-04, 5.623413252e-04, 4.216965034e-04, 3.162277660e-04, 2.371373706e-04, 1.778279410e-04, 1.333521432e-04]]]> : tensor<1x1x32xf32>}> : () -> tensor<1x1x32xf32>
  %angles = tosa.mul %positions, %frequencies, %shift : (tensor<1x128x1xf32>, tensor<1x1x32xf32>, tensor<1xi8>) -> tensor<1x128x32xf32>
  %cosines = tosa.cos %angles : (tensor<1x128x32xf32>) -> tensor<1x128x32xf32>
  %sines = tosa.sin %angles : (tensor<1x128x32xf32>) -> tensor<1x128x32xf32>
  %cos = tosa.reshape %cosines, %table : (tensor<1x128x32xf32>, !tosa.shape<4>) -> tensor<1x1x128x32xf32>
  %sin = tosa.reshape %sines, %table : (tensor<1x128x32xf32>, !tosa.shape<4>) -> tensor<1x1x128x32xf32>
  %columns = tosa.reshape %positions, %as_row : (tensor<1x128x1xf32>, !tosa.shape<3>) -> tensor<1x1x128xf32>
  %later = tosa.greater %columns, %positions : (tensor<1x1x128xf32>, tensor<1x128x1xf32>) -> tensor<1x128x128xi1>
  %hidden = "tosa.const"() <{values = dense<-1.0e9> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %visible = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %mask = tosa.select %later, %hidden, %visible : (tensor<1x128x128xi1>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x128x128xf32>

  // Attention.
  %h_square = tosa.mul %x, %x, %shift : (tensor<1x128x1024xf32>, tensor<1x128x1024xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %h_sum = tosa.reduce_sum %h_square {axis = 2 : i32} : (tensor<1x128x1024xf32>) -> tensor<1x128x1xf32>
  %h_mean = tosa.mul %h_sum, %one_over_hidden, %shift : (tensor<1x128x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1xf32>
  %h_moved = tosa.add %h_mean, %epsilon : (tensor<1x128x1xf32>, tensor<1x1x1xf32>) -> tensor<1x128x1xf32>
  %h_inverse = tosa.rsqrt %h_moved : (tensor<1x128x1xf32>) -> tensor<1x128x1xf32>
  %h_unit = tosa.mul %x, %h_inverse, %shift : (tensor<1x128x1024xf32>, tensor<1x128x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %h = tosa.mul %h_unit, %attention_norm, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1024xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %q_product = tosa.matmul %h, %wq, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x1024xf32>
  %q_scaled = tosa.mul %q_product, %scale_hidden, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %q_split = tosa.reshape %q_scaled, %heads : (tensor<1x128x1024xf32>, !tosa.shape<4>) -> tensor<1x128x16x64xf32>
  %q = tosa.transpose %q_split {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x128x16x64xf32>) -> tensor<1x16x128x64xf32>
  %q_a = tosa.slice %q, %at_first, %half : (tensor<1x16x128x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x16x128x32xf32>
  %q_b = tosa.slice %q, %at_second, %half : (tensor<1x16x128x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x16x128x32xf32>
  %q_ac = tosa.mul %q_a, %cos, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %q_bs = tosa.mul %q_b, %sin, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %q_low = tosa.sub %q_ac, %q_bs : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x32xf32>
  %q_bc = tosa.mul %q_b, %cos, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %q_as = tosa.mul %q_a, %sin, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %q_high = tosa.add %q_bc, %q_as : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x32xf32>
  %q_turned = tosa.concat %q_low, %q_high {axis = 3 : i32} : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x64xf32>
  %q_heads = tosa.reshape %q_turned, %packed : (tensor<1x16x128x64xf32>, !tosa.shape<3>) -> tensor<16x128x64xf32>
  %k_product = tosa.matmul %h, %wk, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x1024xf32>
  %k_scaled = tosa.mul %k_product, %scale_hidden, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %k_split = tosa.reshape %k_scaled, %heads : (tensor<1x128x1024xf32>, !tosa.shape<4>) -> tensor<1x128x16x64xf32>
  %k = tosa.transpose %k_split {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x128x16x64xf32>) -> tensor<1x16x128x64xf32>
  %k_a = tosa.slice %k, %at_first, %half : (tensor<1x16x128x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x16x128x32xf32>
  %k_b = tosa.slice %k, %at_second, %half : (tensor<1x16x128x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x16x128x32xf32>
  %k_ac = tosa.mul %k_a, %cos, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %k_bs = tosa.mul %k_b, %sin, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %k_low = tosa.sub %k_ac, %k_bs : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x32xf32>
  %k_bc = tosa.mul %k_b, %cos, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %k_as = tosa.mul %k_a, %sin, %shift : (tensor<1x16x128x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi8>) -> tensor<1x16x128x32xf32>
  %k_high = tosa.add %k_bc, %k_as : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x32xf32>
  %k_turned = tosa.concat %k_low, %k_high {axis = 3 : i32} : (tensor<1x16x128x32xf32>, tensor<1x16x128x32xf32>) -> tensor<1x16x128x64xf32>
  %k_heads = tosa.reshape %k_turned, %packed : (tensor<1x16x128x64xf32>, !tosa.shape<3>) -> tensor<16x128x64xf32>
  %v_product = tosa.matmul %h, %wv, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x1024xf32>
  %v_scaled = tosa.mul %v_product, %scale_hidden, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %v_split = tosa.reshape %v_scaled, %heads : (tensor<1x128x1024xf32>, !tosa.shape<4>) -> tensor<1x128x16x64xf32>
  %v = tosa.transpose %v_split {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x128x16x64xf32>) -> tensor<1x16x128x64xf32>
  %v_heads = tosa.reshape %v, %packed : (tensor<1x16x128x64xf32>, !tosa.shape<3>) -> tensor<16x128x64xf32>
  %k_columns = tosa.transpose %k_heads {perms = array<i32: 0, 2, 1>} : (tensor<16x128x64xf32>) -> tensor<16x64x128xf32>
  %dots = tosa.matmul %q_heads, %k_columns, %zp, %zp : (tensor<16x128x64xf32>, tensor<16x64x128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x128x128xf32>
  %scores = tosa.mul %dots, %scale_scores, %shift : (tensor<16x128x128xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<16x128x128xf32>
  %masked = tosa.add %scores, %mask : (tensor<16x128x128xf32>, tensor<1x128x128xf32>) -> tensor<16x128x128xf32>
  %largest = tosa.reduce_max %masked {axis = 2 : i32} : (tensor<16x128x128xf32>) -> tensor<16x128x1xf32>
  %centred = tosa.sub %masked, %largest : (tensor<16x128x128xf32>, tensor<16x128x1xf32>) -> tensor<16x128x128xf32>
  %powers = tosa.exp %centred : (tensor<16x128x128xf32>) -> tensor<16x128x128xf32>
  %total = tosa.reduce_sum %powers {axis = 2 : i32} : (tensor<16x128x128xf32>) -> tensor<16x128x1xf32>
  %inverse_total = tosa.reciprocal %total : (tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
  %weights = tosa.mul %powers, %inverse_total, %shift : (tensor<16x128x128xf32>, tensor<16x128x1xf32>, tensor<1xi8>) -> tensor<16x128x128xf32>
  %attended = tosa.matmul %weights, %v_heads, %zp, %zp : (tensor<16x128x128xf32>, tensor<16x128x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x128x64xf32>
  %by_head = tosa.reshape %attended, %unpacked : (tensor<16x128x64xf32>, !tosa.shape<4>) -> tensor<1x16x128x64xf32>
  %by_token = tosa.transpose %by_head {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x16x128x64xf32>) -> tensor<1x128x16x64xf32>
  %joined = tosa.reshape %by_token, %merged : (tensor<1x128x16x64xf32>, !tosa.shape<3>) -> tensor<1x128x1024xf32>
  %out_product = tosa.matmul %joined, %wo, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x1024xf32>
  %out = tosa.mul %out_product, %scale_hidden, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %middle = tosa.add %x, %out : (tensor<1x128x1024xf32>, tensor<1x128x1024xf32>) -> tensor<1x128x1024xf32>

  // Feed-forward.
  %g_square = tosa.mul %middle, %middle, %shift : (tensor<1x128x1024xf32>, tensor<1x128x1024xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %g_sum = tosa.reduce_sum %g_square {axis = 2 : i32} : (tensor<1x128x1024xf32>) -> tensor<1x128x1xf32>
  %g_mean = tosa.mul %g_sum, %one_over_hidden, %shift : (tensor<1x128x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1xf32>
  %g_moved = tosa.add %g_mean, %epsilon : (tensor<1x128x1xf32>, tensor<1x1x1xf32>) -> tensor<1x128x1xf32>
  %g_inverse = tosa.rsqrt %g_moved : (tensor<1x128x1xf32>) -> tensor<1x128x1xf32>
  %g_unit = tosa.mul %middle, %g_inverse, %shift : (tensor<1x128x1024xf32>, tensor<1x128x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %g = tosa.mul %g_unit, %ffn_norm, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1024xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %gate_product = tosa.matmul %g, %w_gate, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x2816xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x2816xf32>
  %gate = tosa.mul %gate_product, %scale_hidden, %shift : (tensor<1x128x2816xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x2816xf32>
  %up_product = tosa.matmul %g, %w_up, %zp, %zp : (tensor<1x128x1024xf32>, tensor<1x1024x2816xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x2816xf32>
  %up = tosa.mul %up_product, %scale_hidden, %shift : (tensor<1x128x2816xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x2816xf32>
  %opened = tosa.sigmoid %gate : (tensor<1x128x2816xf32>) -> tensor<1x128x2816xf32>
  %silu = tosa.mul %gate, %opened, %shift : (tensor<1x128x2816xf32>, tensor<1x128x2816xf32>, tensor<1xi8>) -> tensor<1x128x2816xf32>
  %inner = tosa.mul %silu, %up, %shift : (tensor<1x128x2816xf32>, tensor<1x128x2816xf32>, tensor<1xi8>) -> tensor<1x128x2816xf32>
  %down_product = tosa.matmul %inner, %w_down, %zp, %zp : (tensor<1x128x2816xf32>, tensor<1x2816x1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x128x1024xf32>
  %down = tosa.mul %down_product, %scale_ffn, %shift : (tensor<1x128x1024xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1024xf32>
  %result = tosa.add %middle, %down : (tensor<1x128x1024xf32>, tensor<1x128x1024xf32>) -> tensor<1x128x1024xf32>
  return %result : tensor<1x128x1024xf32>
}
