"""The command line: one function per command, each a thin layer over the plain function of the same name.

What a command needs is imported inside it, so that those that only read start in an instant.
"""
