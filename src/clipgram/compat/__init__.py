"""Drop-ins for other scorers: same names, arguments, nesting and last digits as theirs, odd behaviour included."""
