// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @k() {
  // expected-error@+1 {{expected builtin.index, but found 'i32'}}
  %i = tile.instance_id : i32
}

// -----

// num_instances_c1
tile.kernel @k() {
  %i = tile.program_id : index
  // expected-error@+1 {{expected 'tile.instance_id' and 'tile.grid_coordinates' in a persistent kernel, found 'tile.program_id'}}
  %n = tile.num_instances : index
}

// -----

// num_instances_c2
tile.kernel @k() attributes {progress = #tile<progress concurrent>} {
  // expected-error@+1 {{expected a kernel whose instances do not wait for each other, found 'progress' concurrent}}
  %n = tile.num_instances : index
}

// -----

// grid_coordinates_c1
tile.kernel @k(%n: index) {
  // expected-error@+1 {{expected bands of at least 1 coordinate, found 0}}
  %x, %y, %z = tile.grid_coordinates %n in (%n, %n, %n) bands 0 along 1
}

// -----

// grid_coordinates_c1
tile.kernel @k(%n: index) {
  // expected-error@+1 {{expected bands along axis 0 or 1, found 2}}
  %x, %y, %z = tile.grid_coordinates %n in (%n, %n, %n) bands 4 along 2
}

// -----

// cluster_barrier_c1
tile.kernel @k() {
  // expected-error@+1 {{expected three extents of at least 1, found array<i64: 2, 1>}}
  tile.cluster_barrier [2, 1]
}

// -----

// cluster_barrier_c1
tile.kernel @k() {
  // expected-error@+1 {{expected three extents of at least 1, found array<i64: 2, 0, 1>}}
  tile.cluster_barrier [2, 0, 1]
}

// -----

// cluster_barrier_c1
tile.kernel @k() {
  tile.cluster_barrier [2, 1, 1]
  // expected-error@+1 {{expected the cluster of the kernel's first barrier, found another one}}
  tile.cluster_barrier [1, 2, 1]
}

// -----

// cluster_barrier_c2
tile.kernel @k() attributes {progress = #tile<progress concurrent>} {
  // expected-error@+1 {{expected a kernel that is not persistent, without 'progress' concurrent}}
  tile.cluster_barrier [2, 1, 1]
}
