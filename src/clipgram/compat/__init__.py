"""Drop-ins for other scorers: their names, arguments, exceptions and last digits, oddities included.

Each module stands for one library, as pinned in the extra that tests it. What is odd in a library is odd here and
nowhere else in clipgram; each module says what that is.
"""
