"""From a table's rows to labels under our names: mapped, checked one by one and as a set."""
