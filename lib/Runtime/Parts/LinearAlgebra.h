// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the host that LAPACK computes.
#ifndef KILN_LIB_RUNTIME_PARTS_LINEARALGEBRA_H
#define KILN_LIB_RUNTIME_PARTS_LINEARALGEBRA_H

#include "HostFunctions.h"

namespace kiln::runtime {

// Factors and equations (LinearAlgebra.cpp).
Error runCholesky(HostCall &call);
Error runLu(HostCall &call);
Error runPivotsToPermutation(HostCall &call);
Error runTriangularSolve(HostCall &call);
Error runComplexCholesky(HostCall &call);
Error runComplexLu(HostCall &call);
Error runComplexTriangularSolve(HostCall &call);
Error runComplexHouseholderQr(HostCall &call);
Error runComplexHouseholderProduct(HostCall &call);
Error runHouseholderQr(HostCall &call);
Error runHouseholderProduct(HostCall &call);
// Values and vectors (Eigenvalues.cpp, ComplexEigenvalues.cpp).
Error runComplexEigh(HostCall &call);
Error runComplexSvd(HostCall &call);
Error runEigh(HostCall &call);
Error runEig(HostCall &call);
Error runSvd(HostCall &call);

} // namespace kiln::runtime

#endif
