"""Drop-ins: the functions of other libraries, with their names, arguments, numbers and errors, on clipgram's counts.

Each module stands for one library at one version and does what that does, bugs included; only the import changes.
None of them needs the library it stands for.
"""
