"""What can be proved afterwards: ledger, database, verdicts and published files against each other."""
