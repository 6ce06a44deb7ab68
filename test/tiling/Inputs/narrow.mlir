// A description alone, which prefers narrow blocks.
#kiln.target<name = "narrow", chip = "n1", tiles = <elementwise_rows = 1, elementwise_cols = 64, reduction_elements = 1024>>
