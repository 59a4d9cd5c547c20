"""The pages people read: one round's report (HTML, Markdown) and one study's history (HTML).

Each function renders a record of `schemas` and computes nothing a reader could cite: no clock, no path, no machine
text, so the same record gives the same bytes.
"""
