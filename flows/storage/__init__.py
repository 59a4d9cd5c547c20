"""What a project keeps and how it changes: ledger, objects, and the database replayed from them."""
