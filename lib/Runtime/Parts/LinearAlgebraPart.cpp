// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libkiln-linear-algebra.so by their names.
#include "LapackThreads.h"
#include "LinearAlgebra.h"
#include "Parts.h"

using namespace kiln::runtime;

static Error run(const std::string &name, HostCall &call) {
  constexpr struct {
    const char *name;
    Error (*run)(HostCall &);
  } all[] = {{"cholesky", runCholesky},
             {"lu", runLu},
             {"pivots_to_permutation", runPivotsToPermutation},
             {"triangular_solve", runTriangularSolve},
             {"complex_cholesky", runComplexCholesky},
             {"complex_lu", runComplexLu},
             {"complex_triangular_solve", runComplexTriangularSolve},
             {"complex_householder_qr", runComplexHouseholderQr},
             {"complex_householder_product", runComplexHouseholderProduct},
             {"complex_eigh", runComplexEigh},
             {"complex_svd", runComplexSvd},
             {"householder_qr", runHouseholderQr},
             {"householder_product", runHouseholderProduct},
             {"eigh", runEigh},
             {"eig", runEig},
             {"svd", runSvd}};
  for (const auto &function : all)
    if (name == function.name) {
      LapackThreads threads(call);
      return function.run(call);
    }
  return Error("no function of the host is called '" + name + "'");
}

const LinearAlgebraPart *kilnLinearAlgebraPart() {
  static constexpr LinearAlgebraPart part = {KILN_VERSION, run};
  return &part;
}
