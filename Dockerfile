# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kiln with compiler, runtime and SDK, from Debian's packages.
#   docker build -t kiln .
#   docker run --rm -v $PWD:/work kiln kiln-run examples/norm_tosa.mlir --target=cpu --check
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends git make ca-certificates
WORKDIR /kiln
COPY tools/install-deps.sh tools/
RUN bash tools/install-deps.sh
COPY . .
RUN make build && make packages

FROM debian:12
COPY --from=build /kiln/build/packages/*.deb /tmp/
COPY --from=build /etc/apt/sources.list.d /etc/apt/sources.list.d
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists
WORKDIR /usr/share/kiln
CMD ["kiln-compile", "--list-targets"]
