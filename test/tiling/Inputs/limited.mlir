// Tiles of at most 1024 elements and three dimensions.
#kiln.target<name = "limited", chip = "l1", limits = {max_rank = 3 : i64, max_tile_elements = 1024 : i64}>
