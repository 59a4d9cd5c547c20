"""From counts to the report record, step by step. Everything here is pure."""
