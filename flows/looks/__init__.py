"""What a look at any labels file is made of: its columns, rows, figures and notes."""
