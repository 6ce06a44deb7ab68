// What the report says of an operation is in one dictionary, whose entries have the form of their names.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func private @right() attributes {kiln.reported = {kernel = "f_0", function = "f", declined = [["a", "it is too wide"]]}}

// -----

// expected-error@+1 {{expected 'kiln.reported' to be a dictionary, found "f"}}
func.func private @form() attributes {kiln.reported = "f"}

// -----

// expected-error@+1 {{expected entries of 'kiln.reported' to be the strings 'kernel' and 'function' and pairs of strings in 'declined', found 'declined' = ["a"]}}
func.func private @declined() attributes {kiln.reported = {declined = ["a"]}}

// -----

// expected-error@+1 {{expected entries of 'kiln.reported' to be the strings 'kernel' and 'function' and pairs of strings in 'declined', found 'functoin' = "f"}}
func.func private @other() attributes {kiln.reported = {functoin = "f"}}
