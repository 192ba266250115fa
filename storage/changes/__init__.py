"""Changes as data, written in few statements: grouped by kind, each kind by its own handler."""
