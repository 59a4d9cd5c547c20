"""Readers for the exports people have: one small module a format, chosen by content (recognise.py)."""
