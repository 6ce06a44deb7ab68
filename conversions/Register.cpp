// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conversions of the core bring. A new conversion is named here and
// nowhere above.
#include "kiln/Conversion/Register.h"
#include "kiln/Conversion/LinalgToPrim.h"
#include "kiln/Conversion/OnnxToPrim.h"
#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Conversion/PtxToTile.h"
#include "kiln/Conversion/StablehloToPrim.h"
#include "kiln/Conversion/TosaToPrim.h"
#include "kiln/Conversion/TritonToTile.h"

void kiln::registerConversionPasses() {
  registerKilnPrimToTilePasses();
  registerKilnTosaToPrimPasses();
  registerKilnLinalgToPrimPasses();
  registerKilnTritonToTilePasses();
  registerKilnStablehloToPrimPasses();
  registerKilnOnnxToPrimPasses();
  tile::registerKilnPtxToTilePasses();
}

void kiln::registerConversionFrontends() {
  registerTosaFrontend();
  registerLinalgFrontend();
  registerTritonFrontend();
  registerStablehloFrontend();
  registerOnnxFrontend();
}
